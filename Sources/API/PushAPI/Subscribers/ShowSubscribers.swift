internal import FoundationEssentials
package import PushModel
internal import PushStore
internal import PushWire

/// Shows one page of one person's devices, one device, or one page of the subscribers of an app or of a
/// service's apps, app by app and in the order of first registration.
package struct ShowSubscribers: ShortOperation, UseCase {
    package static let name = "subscribers.show"
    package static let path = "/subscribers"
    package static let operation = Operation(
        .get, path, .read,
        """
        Returns the device with a token, the devices with a user key, or the subscribers of an app or \
        service, optionally filtered.
        """, reach: .services)
    package static let example = #"{"userKey": "anna"}"#
    package static let members: [Member<Self>] = [
        .query(\.token, "token", SubscriberName.tokenHelp).secret,
        .query(\.userKey, "userKey", SubscriberName.userKeyHelp).secret,
        .query(\.app, "app", "Return only devices of this app."),
        .query(\.service, "service", "Return only devices of this service's apps."),
        .query(\.state, "state", "Return only subscribers in this state."),
        .query(
            \.condition, "where",
            """
            Return only subscribers that match this condition: a JSON object as in `target.where` of a \
            delivery, such as {"city": "Rome"}.
            """
        ).secret,
        .query(
            \.limit, "limit", "The maximum number of subscribers.", in: 1...SubscriberFinder.limit,
            default: SubscriberFinder.limit),
        .cursor(\.after),
    ]

    private var token: String?
    private var userKey: String?
    private var app: String?
    private var service: String?
    private var state: SubscriberState?
    private var condition: String?
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

    /// Selects the subscribers of a service's apps.
    package init(service: String, where condition: String? = nil, limit: Int = SubscriberFinder.limit) {
        (self.service, self.condition, self.limit) = (service, condition, limit)
    }

    /// If the request names a state or a condition, a page may have few items or none even if more pages
    /// follow.
    package func perform(in operations: Operations) throws -> Page<SubscriberView> {
        let after = after.map(SubscriptionID.init(rawValue:))
        if let who {
            guard condition == nil else {
                throw OperationError(.usage, "where: give it together with app or service")
            }
            return try page(of: who, after, operations)
        }
        guard token == nil, userKey == nil, app != nil || service != nil else {
            throw OperationError(
                .usage,
                "give token or userKey, or app or service to list the subscribers of an app or of a service")
        }
        return try page(after, operations)
    }

    /// Returns the apps that the request selects, in the order of their subscriptions' numbers.
    private func apps(_ operations: Operations) throws -> [Catalogue.AppName] {
        let service = try service.map { try operations.requireService(named: $0) }
        let apps = try operations.appNames(named: app).filter { service == nil || $0.service == service?.id }
        guard !apps.isEmpty || app == nil else {
            throw OperationError.absent(
                "app \(app ?? "") does not belong to service \(service?.name ?? "")")
        }
        return apps.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Returns the target of a condition for these apps. Only the first page checks the names in it, because
    /// the check reads the settings of all apps.
    private func target(_ condition: String, _ names: [Catalogue.AppName], _ operations: Operations) throws
        -> Target
    {
        let ids = after == nil ? Set(names.map(\.id)) : []
        let apps = ids.isEmpty ? [] : try operations.apps(named: app).filter { ids.contains($0.id) }
        return try SubscriberCondition(condition).target(for: apps)
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
        let found = try who.found(of: apps(operations), after: after, in: operations)
        var entries: [SubscriberView] = []
        var rest = found.prefix(limit)
        while let id = rest.first?.app {
            let ofApp = rest.prefix { $0.app == id }
            rest = rest.dropFirst(ofApp.count)
            // An app can be deleted in the meantime.
            guard let app = try operations.store.catalogue.app(id) else { continue }
            entries += try views(of: ofApp, app)
        }
        // The next page may be empty.
        let last = found.count >= limit ? found[limit - 1].subscription : nil
        return Page(entries, next: last?.rawValue, of: self)
    }

    private func page(
        _ after: SubscriptionID?, _ operations: Operations
    ) throws -> Page<SubscriberView> {
        let apps = try apps(operations)
        let target = try condition.map { try self.target($0, apps, operations) }
        var entries: [SubscriberView] = []
        var looked = 0
        var next: AppID?
        for name in apps where name.id.rawValue >= after?.app.rawValue ?? 0 {
            // Many apps may have no subscribers.
            if next.map({ $0.rawValue < name.id.rawValue }) ?? true {
                next = try operations.store.subscriberFinder.firstApp(from: name.id)
                guard next != nil else { break }
            }
            guard next == name.id, let app = try operations.store.catalogue.app(name.id) else { continue }
            let found = try found(of: app, target, after, limit: max(limit - looked, 1), operations)
            entries += try views(of: found.subscribers[...], app)
            looked += found.looked
            if let next = found.next { return Page(entries, next: next.rawValue, of: self) }
        }
        return Page(entries, next: nil, of: self)
    }

    private typealias Found = (subscribers: [SubscriberFacts], looked: Int, next: SubscriptionID?)

    private func found(
        of app: App, _ target: Target?, _ after: SubscriptionID?, limit: Int, _ operations: Operations
    ) throws -> Found {
        let finder = operations.store.subscriberFinder
        if let target {
            return try finder.page(
                of: app.id, selectedBy: target, at: operations.clock.moment().time, after: after,
                limit: limit)
        }
        let found = try finder.page(
            of: app.id, after: after, withErrors: state?.hasErrors ?? false, limit: limit)
        return (found.subscribers, found.subscribers.count, found.next)
    }

    private func views(of found: ArraySlice<SubscriberFacts>, _ app: App) throws -> [SubscriberView] {
        let successors = SubscriberReplacement.successors(among: found)
        return try found.filter { state == nil || state == SubscriberState($0) }
            .map { try SubscriberView($0, of: app, successor: successors[$0.subscription]) }
    }
}

/// The state that determines whether messages are sent to a subscriber.
package enum SubscriberState: String, Word {
    case valid
    /// Valid, with errors that are counted.
    case counting
    case quarantined, disabled
    /// The person has opted out. The subscriber may also have errors.
    case optedOut

    init(_ facts: SubscriberFacts) {
        guard facts.optOut == nil else {
            self = .optedOut
            return
        }
        self =
            switch facts.state {
            case nil: .valid
            case .counting: .counting
            case .quarantined: .quarantined
            case .disabled: .disabled
            }
    }

    /// Whether every subscriber in this state has errors or is in quarantine.
    fileprivate var hasErrors: Bool {
        switch self {
        case .valid, .optedOut: false
        case .counting, .quarantined, .disabled: true
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

    /// The token or the user key.
    var text: String {
        switch self {
        case .token(let text), .userKey(let text): text
        }
    }

    /// A description that does not identify the subscriber.
    var described: String { if case .token = self { "this token" } else { "this user key" } }

    /// Returns the error for a subscriber that does not exist.
    /// - Parameter app: `nil` means any app.
    package func notFoundError(of app: String?) -> OperationError {
        .noMatch(
            "no subscriber of \(app.map { "app \($0)" } ?? "any app") has \(described)".followed(
                by: hintAtOtherKind))
    }

    /// A sentence for a caller who may have given something of another kind; `nil` if the text has the form
    /// of no other kind. A user key or a token can have the form of an id, such as a UUID.
    var hintAtOtherKind: String? {
        switch IDKind(text) {
        case .token where userKey != nil: "If it is the token of a device, give it as a token"
        case .message: "If it is the id of a message, show the message"
        default: nil
        }
    }

    /// Returns at most ``SubscriberFinder/limit`` subscribers of the apps, in the order of their
    /// subscriptions' numbers, and so app by app; empty if none is found.
    /// - Parameter after: Only subscriptions after this one are returned; `nil` means all.
    func found(
        of apps: [Catalogue.AppName], after: SubscriptionID? = nil, in operations: Operations
    ) throws -> [SubscriberFacts] {
        let finder = operations.store.subscriberFinder
        switch self {
        case .token(let token):
            // No token contains spaces, but a copied one may be surrounded or broken by them.
            let token = String(token.filter { !$0.isWhitespace })
            let spellings = Dictionary(grouping: apps) { DeviceToken.spelled(token, for: [$0.platform]) }
            let found = try spellings.flatMap { spelling, apps in
                try finder.find(token: spelling, in: apps.map(\.id), after: after)
            }
            return Array(
                found.sorted { $0.subscription.rawValue < $1.subscription.rawValue }
                    .prefix(SubscriberFinder.limit))
        case .userKey(let key): return try finder.find(userKey: key, in: apps.map(\.id), after: after)
        }
    }

    /// Returns all matching subscribers, regardless of how many exist.
    /// - Parameter limit: The number of subscribers after which the search ends. The result may exceed it by
    ///   one page.
    func all(
        of apps: [Catalogue.AppName], in operations: Operations, atMost limit: Int = .max
    ) throws -> [SubscriberFacts] {
        var page = try found(of: apps, in: operations)
        var all = page
        while page.count == SubscriberFinder.limit, all.count <= limit, let last = page.last {
            page = try found(of: apps, after: last.subscription, in: operations)
            all += page
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
        "state": "valid, counting, quarantined, disabled or optedOut",
        "errors": "errors that count against the token",
        "optedOutAt": "when the opt-out was recorded; null if the person has not opted out",
        "optedOutBy": "device or operator; null if the person has not opted out",
        "recognisedBy":
            "what identifies the device if it registers with another token: id, token, or none if the "
            + "subscriber was imported, or its device registered without data about itself",
        "replacement": "what happens, or may have happened, if the device gets another token",
        "registeredAt": "when the device last registered",
        "lastActiveAt": "when the device last registered or reported a click, whichever is later",
        "language": "as the device reported it; empty if it reported none",
        "os": "the operating system with its version; empty if the device reported none",
        "deviceName": "the name that the owner gave to the device; empty if the device reported none",
        "quarantine": "why errors count against the token; null if none do",
    ]

    package var app: String
    package var token: String
    package var userKey: String
    package var parameters: [String: String]
    /// `valid`, `optedOut`, or a quarantine state.
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
    package var deviceName: String
    package var brand: String
    package var manufacturer: String
    package var optedOutAt: WallTime?
    package var optedOutBy: String?
    /// The means by which the server recognises the device if it gets another token: `id`, `token` or `none`.
    package var recognisedBy: String
    /// The same as a sentence.
    package var replacement: String
    /// The reason for the quarantine state or the errors; `nil` if there is none.
    package var quarantine: SubscriberQuarantine?

    /// - Parameter successor: When a device of the same person and model registered later; `nil` if none did.
    init(_ facts: SubscriberFacts, of app: App, successor: WallTime? = nil) throws {
        self.app = app.name
        token = facts.token
        userKey = facts.userKey
        parameters =
            try facts.parametersJSON.map {
                try JSONDecoder().decode([String: String].self, from: Data($0.utf8))
            } ?? [:]
        state = SubscriberState(facts).word
        (optedOutAt, optedOutBy) = (facts.optOut?.since, facts.optOut?.source?.name)
        recognisedBy = SubscriberReplacement.word(facts.recognition)
        replacement = SubscriberReplacement.text(facts.recognition, successor: successor)
        errors = facts.errors
        createdAt = facts.created
        registeredAt = facts.registered
        lastActiveAt = facts.lastActive
        (language, os, model) = (facts.device.language, facts.os, facts.device.model)
        deviceName = facts.device.name
        (brand, manufacturer) = (facts.device.brand, facts.device.manufacturer)
        quarantine = facts.quarantine.map { SubscriberQuarantine($0, of: app) }
    }
}
