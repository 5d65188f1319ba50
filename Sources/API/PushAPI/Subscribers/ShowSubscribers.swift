internal import FoundationEssentials
package import PushModel
internal import PushStore
internal import PushWire

/// Shows one page of one person's devices, one device, or one page of all subscribers of an app, in the order
/// of first registration.
package struct ShowSubscribers: ShortOperation, UseCase {
    package static let name = "subscribers.show"
    package static let path = "/subscribers"
    package static let operation = Operation(
        .get, path, .read,
        "Returns the device with a token, the devices with a user key, or all subscribers of an app.")
    package static let example = #"{"userKey": "anna"}"#
    package static let members: [Member<Self>] = [
        .query(\.token, "token", SubscriberName.tokenHelp).secret,
        .query(\.userKey, "userKey", SubscriberName.userKeyHelp).secret,
        .query(\.app, "app", "Return only devices of this app."),
        .query(\.state, "state", "Return only subscribers in this state."),
        .query(
            \.limit, "limit", "The maximum number of subscribers.", in: 1...SubscriberFinder.limit,
            default: SubscriberFinder.limit),
        .cursor(\.after),
    ]

    private var token: String?
    private var userKey: String?
    private var app: String?
    private var state: SubscriberState?
    private var limit = SubscriberFinder.limit
    package var after: Int64?

    package init() {}

    package init(_ who: SubscriberName, app: String? = nil, after: Int64? = nil) {
        (token, userKey) = (who.token, who.userKey)
        self.app = app
        self.after = after
    }

    /// Selects all subscribers of an app.
    package init(allOf app: String, state: SubscriberState? = nil) { (self.app, self.state) = (app, state) }

    /// If the request names a state, a page may have few items or none even if more pages follow.
    package func perform(in operations: Operations) throws -> Page<SubscriberView> {
        let after = after.map(SubscriptionID.init(rawValue:))
        if let who { return try page(of: who, after, operations) }
        if token == nil, userKey == nil, let app {
            return try page(of: operations.requireApp(named: app), after, operations)
        }
        throw OperationError(
            .usage, "give token or userKey, or only app to list all subscribers of an app")
    }

    /// The subscriber that the request names; `nil` if neither or both members are given.
    private var who: SubscriberName? {
        switch (token, userKey) {
        case (let token?, nil): .token(token)
        case (nil, let key?): .userKey(key)
        default: nil
        }
    }

    private func page(
        of who: SubscriberName, _ after: SubscriptionID?, _ operations: Operations
    ) throws -> Page<SubscriberView> {
        // A subscription's number begins with the number of its app, so the number of the last subscription
        // is enough to find the next page.
        let apps = try operations.apps(named: app).sorted { $0.id.rawValue < $1.id.rawValue }
        var entries: [SubscriberView] = []
        var looked = 0
        for app in apps {
            let room = limit - looked
            let found = try who.found(of: app, after: after, in: operations)
            entries += try views(of: found.prefix(room), app)
            looked += found.count
            guard found.count >= room else { continue }
            // The next page may be empty.
            return Page(entries, next: found[room - 1].subscription.rawValue, of: self)
        }
        return Page(entries, next: nil, of: self)
    }

    private func page(
        of app: App, _ after: SubscriptionID?, _ operations: Operations
    ) throws -> Page<SubscriberView> {
        let found = try operations.store.subscriberFinder.page(
            of: app.id, after: after, withErrors: state.map { $0 != .valid } ?? false, limit: limit)
        return Page(try views(of: found.subscribers[...], app), next: found.next?.rawValue, of: self)
    }

    private func views(of found: ArraySlice<SubscriberFacts>, _ app: App) throws -> [SubscriberView] {
        try found.filter { state == nil || state == SubscriberState($0.state) }
            .map { try SubscriberView($0, app: app.name) }
    }
}

/// The state that determines whether messages are sent to a subscriber.
package enum SubscriberState: String, Word {
    case valid
    /// Valid, with errors that are counted.
    case counting
    case quarantined, disabled

    init(_ state: QuarantineState?) {
        self =
            switch state {
            case nil: .valid
            case .counting: .counting
            case .quarantined: .quarantined
            case .disabled: .disabled
            }
    }
}

extension Operations {
    /// Returns the subscribers on all pages of ``ShowSubscribers``.
    /// - Throws: Any error of the operation, and an error if there is no such subscriber.
    package func everySubscriber(
        _ who: SubscriberName, app: String? = nil
    ) throws(OperationError) -> [SubscriberView] {
        var page = try carryOut(ShowSubscribers(who, app: app))
        var all = page.items
        while let next = page.position {
            page = try carryOut(ShowSubscribers(who, app: app, after: next))
            all += page.items
        }
        guard !all.isEmpty else { throw who.notFoundError(of: app) }
        return all
    }
}

/// One device, or all devices of a person.
package enum SubscriberName: Equatable, Sendable {
    case token(String)
    case userKey(String)

    static let alternatives = [["token", "userKey"]]
    static let tokenHelp = "The token of a device."
    static let userKeyHelp = "A person's user key, which selects all of the person's devices."

    var token: String? {
        get { if case .token(let token) = self { token } else { nil } }
        set { if let newValue { self = .token(newValue) } }
    }

    var userKey: String? {
        get { if case .userKey(let key) = self { key } else { nil } }
        set { if let newValue { self = .userKey(newValue) } }
    }

    /// A description that does not identify the subscriber.
    var described: String { if case .token = self { "this token" } else { "this user key" } }

    /// Returns the error for a subscriber that does not exist.
    /// - Parameter app: `nil` means any app.
    package func notFoundError(of app: String?) -> OperationError {
        .noMatch("no subscriber of \(app.map { "app \($0)" } ?? "any app") has \(described)")
    }

    /// Returns at most ``SubscriberFinder/limit`` subscribers; empty if none is found.
    /// - Parameter after: Only subscriptions after this one are returned; `nil` means all.
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

    /// Returns all matching subscribers, regardless of how many exist.
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
    /// Returns the elements in order, in pages of the given size.
    func pages(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}

/// A subscriber as it is shown.
package struct SubscriberView: View, Equatable {
    package static let about = [
        "state": "valid, counting, quarantined or disabled", "errors": "errors that count against the token",
        "registeredAt": "when the device last registered",
        "lastActiveAt": "when the device last registered or reported a click, whichever is later",
        "language": "as the device reported it; empty if it reported none",
        "os": "the operating system with its version; empty if the device reported none",
    ]

    package var app: String
    package var token: String
    package var userKey: String
    package var parameters: [String: String]
    /// `valid`, or a quarantine state.
    package var state: String
    /// The number of errors that count against the token.
    package var errors: Int
    package var createdAt: WallTime
    /// The time of the device's last registration.
    package var registeredAt: WallTime
    /// The time of the last registration or reported click.
    package var lastActiveAt: WallTime
    /// The language, the operating system with its version, and the model, as the device reported them; empty
    /// if the device did not report them.
    package var language: String
    package var os: String
    package var model: String

    init(_ facts: SubscriberFacts, app: String) throws {
        self.app = app
        token = facts.token
        userKey = facts.userKey
        parameters =
            try facts.parametersJSON.map {
                try JSONDecoder().decode([String: String].self, from: Data($0.utf8))
            } ?? [:]
        state = SubscriberState(facts.state).word
        errors = facts.errors
        createdAt = facts.created
        registeredAt = facts.registered
        lastActiveAt = facts.lastActive
        (language, os, model) = (facts.device.language, facts.os, facts.device.model)
    }
}
