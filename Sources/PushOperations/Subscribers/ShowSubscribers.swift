internal import FoundationEssentials
package import PushModel
internal import PushStore

/// The devices of one person, or one device: all that is known of them.
package struct ShowSubscribers: ShortOperation {
    package static let name = "subscribers.show"

    package var who: SubscriberName
    /// nil: of every app.
    package var app: String?

    package init(_ who: SubscriberName, app: String? = nil) {
        self.who = who
        self.app = app
    }

    package func perform(in operations: Operations) throws -> [SubscriberView] {
        try who.found(app: app, in: operations).map { try SubscriberView($0.facts, app: $0.app) }
    }
}

/// Who is meant by it.
package enum SubscriberName: Codable, Equatable, Sendable {
    case token(String)
    case userKey(String)

    /// - Throws: where nobody is found.
    func found(app name: String?, in operations: Operations) throws -> [(facts: SubscriberFacts, app: String)]
    {
        let apps =
            try name.map { [try operations.requireApp(named: $0)] } ?? operations.store.catalogue.apps()
        var found: [(facts: SubscriberFacts, app: String)] = []
        for app in apps {
            found += try self.found(of: app, in: operations).map { (facts: $0, app: app.name) }
        }
        guard !found.isEmpty else {
            throw OperationError.nobody(
                "no subscriber of \(name.map { "app \($0)" } ?? "any app") has \(described)")
        }
        return found
    }

    /// Without saying who it is.
    var described: String { if case .token = self { "this token" } else { "this user key" } }

    /// Empty: nobody is found.
    func found(of app: App, in operations: Operations) throws -> [SubscriberFacts] {
        let finder = operations.store.subscriberFinder
        return switch self {
        // Tokens of iOS are kept in lower case.
        case .token(let token):
            try finder.find(token: app.settings.platform == .ios ? token.lowercased() : token, in: app.id)
        case .userKey(let key): try finder.find(userKey: key, in: app.id)
        }
    }
}

/// A subscriber as it is shown.
package struct SubscriberView: Codable, Equatable, Sendable {
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
