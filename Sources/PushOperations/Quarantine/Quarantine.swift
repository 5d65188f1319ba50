package import PushModel
package import PushStore

/// A subscriber with errors as it is shown.
package struct QuarantineView: View, Equatable {
    /// nil where the app has gone since.
    package var app: String?
    package var token: String
    package var userKey: String
    package var state: QuarantineState
    /// Errors that counted.
    package var errors: Int
    /// When the state began.
    package var since: WallTime
    package var lastErrorAt: WallTime
    package var source: QuarantineSource
    /// The gateway's last word.
    package var reason: String
    /// The delivery whose message got it; nil where none did.
    package var delivery: DeliveryID?

    init(_ entry: QuarantineEntry, app: String?) {
        self.app = app
        token = entry.token
        userKey = entry.userKey
        state = entry.state
        errors = entry.errors
        since = entry.since
        lastErrorAt = entry.lastError
        source = entry.source
        reason = entry.reason
        delivery = entry.delivery
    }
}

// Their raw values are the store's; here they are words.

extension QuarantineState: Codable, Word {
    /// As operators read and type it.
    package var name: String {
        switch self {
        case .disabled: "disabled"
        case .quarantined: "quarantined"
        case .counting: "counting"
        }
    }
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}

extension QuarantineSource: Codable, Word {
    package var name: String {
        switch self {
        case .answer: "answer"
        case .feedback: "feedback"
        }
    }
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}

/// One page of the subscribers with errors, in order of first registration, app by app: there may be a million.
package struct ListQuarantine: ShortOperation, UseCase {
    package static let name = "quarantine.list"
    package static let operation = Operation(.get, "/quarantine", .read, "Subscribers with errors.")
    package static let members: [Member<Self>] = [
        .query(\.app, "app", "Only subscribers of this app."),
        .query(\.state, "state", "Only subscribers in this state."), .cursor(\.after),
    ]

    package private(set) var app: String?
    package private(set) var state: QuarantineState?
    package var after: Int64?

    package init() {}
    package init(app: String? = nil, state: QuarantineState? = nil) { (self.app, self.state) = (app, state) }

    /// With a state, a page may have few items or none although there are more pages.
    package func perform(in operations: Operations) throws -> Page<QuarantineView> {
        let wanted = try app.map { try operations.requireApp(named: $0).id }
        let names = try operations.appNames()
        let page = try operations.store.quarantine.list(
            app: wanted, state: state, after: after.map(SubscriptionID.init(rawValue:)))
        return Page(
            page.entries.map { QuarantineView($0, app: names[$0.app]) }, next: page.next?.rawValue)
    }
}

/// Makes subscribers of an application valid again and forgets their errors. Deliveries prepared from now on
/// are sent to them; a gateway that still calls their tokens dead puts them back.
package struct ReleaseFromQuarantine: LongOperation, Audited {
    package static let name = "quarantine.release"
    package var auditText: AuditText? { .of("\(subscribers.described) of app \(app)") }

    package enum Subscribers: Equatable, Sendable {
        /// With these registration tokens, whole; at most ``mostTokens``.
        case tokens([String])
        case userKey(String)
        /// All that have errors.
        case all

        /// Without a token or a user key.
        fileprivate var described: String {
            switch self {
            case .tokens(let tokens): "tokens: \(tokens.count)"
            case .userKey: "one user key"
            case .all: "all"
            }
        }
    }

    package static var mostTokens: Int { QuarantineWriter.subscriptionsPerCall }

    package var app: String
    package var subscribers: Subscribers

    package init(app: String, subscribers: Subscribers) {
        self.app = app
        self.subscribers = subscribers
    }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<ReleasedSubscribers>
    ) throws -> ReleasedSubscribers {
        let app = try operations.requireApp(named: app)
        let writer = operations.store.quarantineWriter
        var throttle = BulkWriteThrottle(operations)
        var sum = ReleaseStep()
        var released: ReleasedSubscribers {
            ReleasedSubscribers(released: sum.released, forgiven: sum.forgiven)
        }
        repeat {
            if sum.hasMore {
                try watch.proceed()
                throttle.pause()
            }
            switch subscribers {
            // Tokens of iOS are kept in lower case.
            case .tokens(let tokens):
                sum += try writer.release(
                    app.id, tokens: app.settings.platform == .ios ? tokens.map { $0.lowercased() } : tokens)
            case .userKey(let key): sum += try writer.release(app.id, userKey: key)
            case .all: sum += try writer.releaseAll(of: app.id)
            }
            watch.report(released)
        } while sum.hasMore
        return released
    }
}

package struct ReleasedSubscribers: Codable, Equatable, Sendable {
    /// Were excluded and are valid again.
    package var released: Int
    /// Were valid, and their errors are forgotten.
    package var forgiven: Int
}
