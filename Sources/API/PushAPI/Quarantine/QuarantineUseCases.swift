package import PushModel
package import PushStore
internal import PushWire

/// A subscriber with errors, as the API and commands show it.
package struct QuarantineView: View, Equatable {
    /// The name of the app; `nil` if the app has been deleted since.
    package var app: String?
    package var token: String
    package var userKey: String
    package var state: QuarantineState
    /// The number of errors that counted.
    package var errors: Int
    /// The time at which the state began.
    package var since: WallTime
    package var lastErrorAt: WallTime
    package var source: QuarantineSource
    /// The last reason from the gateway, or from an operator.
    package var reason: String
    /// The delivery whose message received the error; `nil` if there was none.
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

// The raw values of these types are those of the store. In JSON they are words.

extension QuarantineState: Codable, Word {
    /// The name that operators read and type.
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
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}

/// Returns one page of the subscribers with errors, in the order of first registration, app by app. There may
/// be a million of them.
package struct ListQuarantine: ShortOperation, UseCase {
    package static let name = "quarantine.list"
    package static let operation = Operation(
        .get, "/quarantine", .read, "Lists subscribers with errors.", reach: .services)
    package static let members: [Member<Self>] = [
        .query(\.app, "app", "Return only subscribers of this app."),
        .query(\.state, "state", "Return only subscribers in this state."),
        .query(\.limit, "limit", "The maximum number of subscribers.", in: 1...1_000, default: 1_000),
        .cursor(\.after),
    ]

    package private(set) var app: String?
    package private(set) var state: QuarantineState?
    private var limit = 1_000
    package var after: Int64?

    package init() {}
    package init(app: String? = nil, state: QuarantineState? = nil) { (self.app, self.state) = (app, state) }

    /// If the request names a state, a page may have few items or none even if more pages follow.
    package func perform(in operations: Operations) throws -> Page<QuarantineView> {
        let names = try operations.appNames()
        let page = try page(in: operations)
        return Page(
            page.entries.map { QuarantineView($0, app: names[$0.app]) }, next: page.next?.rawValue,
            of: self)
    }

    private func page(
        in operations: Operations
    ) throws -> (entries: [QuarantineEntry], next: SubscriptionID?) {
        let (reader, after) = (operations.store.quarantine, after.map(SubscriptionID.init(rawValue:)))
        guard app != nil || operations.bounds.areSet else {
            let page = try reader.list(state: state, after: after, limit: limit)
            return (page.entries, page.next)
        }
        // A subscription's number begins with the number of its app.
        let apps = try operations.apps(named: app).map(\.id).sorted { $0.rawValue < $1.rawValue }
        var entries: [QuarantineEntry] = []
        for app in apps where after.map({ $0.app.rawValue <= app.rawValue }) ?? true {
            let found = try reader.list(
                app: app, state: state, after: after, limit: limit - entries.count)
            entries += found.entries
            if let next = found.next { return (entries, next) }
        }
        return (entries, nil)
    }
}

/// Puts one device into quarantine. Deliveries that are prepared from now on leave out the device until it
/// registers again or is released. A device that is already left out remains unchanged.
package struct AddToQuarantine: Change, UseCase {
    package static let name = "quarantine.add"
    package static let operation = Operation(
        .post, "/quarantine", .admin,
        "Puts a device into quarantine. Deliveries exclude it until it registers again or is released.",
        reach: .services)
    package static let example =
        #"""
        {"app": "neotrips-ios", "token":
        "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1", "reason": "a test device"}
        """#
    package static let members: [Member<Self>] = [
        .field(\.app, "app", "The app with which the device is registered."),
        .field(\.token, "token", "The device's registration token.").secret,
        .field(
            \.reason, "reason",
            "The reason, in up to \(NameRule.maximumBytes) bytes. It must not contain the token."),
    ]
    package var followUpCommand: String { "quarantine list" }
    package var auditText: AuditText? { .of("one device of app \(app): \(reason)") }

    package private(set) var app = ""
    package private(set) var token = ""
    package private(set) var reason = ""

    package init() {}
    package init(app: String, token: String, reason: String) {
        (self.app, self.token, self.reason) = (app, token, reason)
    }

    package func prepare(in operations: Operations) throws -> Step<QuarantinedDevice> {
        let app = try operations.requireApp(named: app)
        let token = try DeviceToken.required(token, "token", of: app)
        try NameRule.check(reason, "the reason")
        // The reason appears in the audit trail and in lists that other people read.
        guard !reason.lowercased().contains(token.lowercased()) else {
            throw OperationError.refused("reason: must not contain the token")
        }
        let (reason, now) = (reason, operations.clock.moment())
        return Step { store in
            guard let device = try store.quarantineWriter.add(app.id, token: token, reason: reason, at: now)
            else { throw SubscriberName.token(token).notFoundError(of: app.name) }
            return QuarantinedDevice(
                app: app.name, userKey: device.userKey, state: device.state, changed: device.isChanged)
        }
    }
}

package struct QuarantinedDevice: View, Equatable {
    package static let about = [
        "changed": "whether the device's state was changed; false if deliveries already excluded it"
    ]

    package var app: String
    package var userKey: String
    package var state: QuarantineState
    package var changed: Bool
}

extension DeviceToken {
    /// Returns the token in the spelling that the store uses.
    /// - Throws: If the text is not a token of the app's platform. The error does not contain the text.
    static func required(_ text: String, _ member: String, of app: App) throws(OperationError) -> String {
        let platform = app.settings.platform
        if let token = canonical(text, for: platform) { return token }
        throw .refused("\(member): must be \(allowed(for: platform))")
    }
}

/// Makes subscribers of an app valid again and deletes their errors. Deliveries that are prepared from now on
/// are sent to them. If a gateway still reports their tokens as dead, they return to quarantine.
package struct ReleaseFromQuarantine: LongOperation, UseCase, Audited {
    package static let name = "quarantine.release"
    package static let operation = Operation(
        .post, "/quarantine/release", .admin,
        "Makes subscribers of an app valid again and clears their errors: the subscribers with given tokens, "
            + "one person's subscribers, or all of the app's subscribers.",
        maxBodyBytes: maxTokens * (SubscriberLimits.tokenBytes + 8), reach: .services)
    package static let example =
        #"""
        {"app": "neotrips-ios", "tokens":
        ["a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"]}
        """#
    package static let members: [Member<Self>] = [
        .field(\.app, "app", "The app of the subscribers."),
        .field(\.tokens, "tokens", "The registration tokens, at most \(maxTokens).").secret,
        .field(\.userKey, "userKey", "Release all subscribers with this user key.").secret,
        .field(\.all, "all", "`true` to release all subscribers of the app that have errors."),
    ]
    package static let alternatives = [["tokens", "userKey", "all"]]
    /// The text contains neither a token nor a user key.
    package var auditText: AuditText? {
        let who = tokens.map { "tokens: \($0.count)" } ?? (userKey == nil ? "all" : "one user key")
        return .of("\(who) of app \(app)")
    }

    package static var maxTokens: Int { QuarantineWriter.subscriptionsPerCall }

    package private(set) var app = ""
    private var tokens: [String]?
    private var userKey: String?
    private var all: Bool?

    package init() {}
    package init(app: String, tokens: [String]) { (self.app, self.tokens) = (app, tokens) }
    package init(app: String, userKey: String) { (self.app, self.userKey) = (app, userKey) }
    /// Selects all subscribers that have errors.
    package init(allOf app: String) { (self.app, all) = (app, true) }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<ReleasedSubscribers>
    ) throws -> ReleasedSubscribers {
        try check()
        let app = try operations.requireApp(named: app)
        let writer = operations.store.quarantineWriter
        let tokens = tokens?.map { DeviceToken.spelled($0, for: [app.settings.platform]) }
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
            if let tokens {
                sum += try writer.release(app.id, tokens: tokens)
            } else if let userKey {
                sum += try writer.release(app.id, userKey: userKey)
            } else {
                sum += try writer.releaseAll(of: app.id)
            }
            watch.report(released)
        } while sum.hasMore
        return released
    }

    private func check() throws(OperationError) {
        if let tokens, tokens.isEmpty || tokens.count > Self.maxTokens {
            throw .refused("tokens: must be 1 to \(Self.maxTokens) tokens, not \(tokens.count)")
        }
        if all == false {
            throw .refused("all: must be true if it is given; otherwise, give tokens or userKey")
        }
    }
}

package struct ReleasedSubscribers: View, Equatable {
    package static let about = [
        "released": "excluded subscribers that are valid again",
        "forgiven": "valid subscribers whose errors were cleared",
    ]

    package var released: Int
    package var forgiven: Int
}
