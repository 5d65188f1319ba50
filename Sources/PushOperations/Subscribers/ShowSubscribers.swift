internal import FoundationEssentials
package import PushModel
internal import PushStore
internal import PushWire

/// One page of one person's devices, or one device: all that is known of them, app by app, in the order of
/// first registration.
package struct ShowSubscribers: ShortOperation {
    package static let name = "subscribers.show"

    package var who: SubscriberName
    /// nil: of every app.
    package var app: String?
    /// ``SubscriberListing/next`` of the page before; nil begins.
    package var after: Int64?

    package init(_ who: SubscriberName, app: String? = nil, after: Int64? = nil) {
        self.who = who
        self.app = app
        self.after = after
    }

    package func perform(in operations: Operations) throws -> SubscriberListing {
        let after = after.map(SubscriptionID.init(rawValue:))
        // A subscription's number begins with its app's: it is all that the next page needs.
        let apps = try operations.apps(named: app).sorted { $0.id.rawValue < $1.id.rawValue }
        var listing = SubscriberListing(entries: [])
        for app in apps {
            let room = SubscriberFinder.limit - listing.entries.count
            let found = try who.found(of: app, after: after, in: operations)
            listing.entries += try found.prefix(room).map { try SubscriberView($0, app: app.name) }
            guard found.count >= room else { continue }
            listing.next = found[room - 1].subscription.rawValue
            break
        }
        guard !listing.entries.isEmpty || after != nil else { throw who.isNobody(of: app) }
        return listing
    }
}

package struct SubscriberListing: Codable, Equatable, Sendable {
    package var entries: [SubscriberView]
    /// Where the next page begins; nil: this is the last one. The next one may be empty.
    package var next: Int64?
}

extension Operations {
    /// All pages of ``ShowSubscribers``.
    package func everySubscriber(
        _ who: SubscriberName, app: String? = nil
    ) throws(OperationError) -> [SubscriberView] {
        var page = try carryOut(ShowSubscribers(who, app: app))
        var all = page.entries
        while let next = page.next {
            page = try carryOut(ShowSubscribers(who, app: app, after: next))
            all += page.entries
        }
        return all
    }
}

/// Who is meant by it.
package enum SubscriberName: Codable, Equatable, Sendable {
    case token(String)
    case userKey(String)

    /// Without saying who it is.
    var described: String { if case .token = self { "this token" } else { "this user key" } }

    /// What is said where nobody is found.
    /// - Parameter app: nil: any.
    func isNobody(of app: String?) -> OperationError {
        .nobody("no subscriber of \(app.map { "app \($0)" } ?? "any app") has \(described)")
    }

    /// At most ``SubscriberFinder/limit``; empty: nobody is found.
    /// - Parameter after: the last one that is known.
    func found(
        of app: App, after: SubscriptionID? = nil, in operations: Operations
    ) throws -> [SubscriberFacts] {
        let finder = operations.store.subscriberFinder
        return switch self {
        case .token(let token):
            try finder.find(token: DeviceToken.spelled(token, for: [app.settings.platform]), in: app.id)
                .filter { $0.subscription.rawValue > after?.rawValue ?? 0 }
        case .userKey(let key): try finder.find(userKey: key, in: app.id, after: after)
        }
    }

    /// However many they are.
    func all(of apps: [App], in operations: Operations) throws -> [SubscriberFacts] {
        var all: [SubscriberFacts] = []
        for app in apps {
            var page = try found(of: app, in: operations)
            all += page
            while page.count == SubscriberFinder.limit, let last = page.last {
                page = try found(of: app, after: last.subscription, in: operations)
                all += page
            }
        }
        return all
    }
}

extension Array {
    /// Its elements in order, so many at a time.
    func pages(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}

/// A subscriber as it is shown.
package struct SubscriberView: View, Equatable {
    package var app: String
    package var registrationToken: String
    package var userKey: String
    package var parameters: [String: String]
    /// `valid`, or a state of quarantine.
    package var state: String
    /// Errors that count against its token.
    package var errors: Int
    package var createdAt: WallTime
    /// When its device last registered.
    package var registeredAt: WallTime

    init(_ facts: SubscriberFacts, app: String) throws {
        self.app = app
        registrationToken = facts.token
        userKey = facts.userKey
        parameters =
            try facts.parametersJSON.map {
                try JSONDecoder().decode([String: String].self, from: Data($0.utf8))
            } ?? [:]
        state = facts.state?.name ?? "valid"
        errors = facts.errors
        createdAt = facts.created
        registeredAt = facts.registered
    }
}
