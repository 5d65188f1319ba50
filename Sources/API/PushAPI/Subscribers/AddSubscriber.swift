internal import PushModel
package import PushStore
package import PushWire

/// Creates one subscriber, or updates the one that has the token, as one row of ``ImportSubscribers`` does.
package struct AddSubscriber: Change, UseCase {
    package static let name = "subscribers.add"
    package static let operation = Operation(
        .post, ShowSubscribers.path, .admin,
        "Creates a subscriber, or updates the subscriber that has the token. A row in an import has the same "
            + "effect.", reach: .services)
    package static let example =
        #"""
        {"app": "neotrips-ios", "token":
        "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1", "userKey": "anna"}
        """#
    package static let members: [Member<Self>] = [
        .field(\.app, "app", "The subscriber's app."),
        .field(\.token, "token", "The device's registration token.").secret,
        .field(\.userKey, "userKey", "The app's own name for the person. It may be empty.").secret,
        .field(
            \.osLanguage, "osLanguage",
            "The language of the device, such as fr-FR, until the device registers.",
            absent: "the previous language"
        ),
        .field(
            \.parameters, "parameters",
            "Subscription parameters: an object of strings, which replaces the previous parameters.",
            absent: "the previous parameters, unless the user key changes"
        ).secret,
        .field(
            \.liftsQuarantine, "liftQuarantine",
            "Make the subscriber valid again if it is in quarantine or disabled.", default: false),
    ]
    package var followUpCommand: String { "subscribers show" }
    package var auditText: AuditText? { .of("one device of app \(app)") }

    package private(set) var app = ""
    package private(set) var token = ""
    package private(set) var userKey = ""
    package private(set) var osLanguage: String?
    package private(set) var parameters: SubscriberParameters?
    package private(set) var liftsQuarantine = false

    package init() {}

    package init(
        app: String, token: String, userKey: String, osLanguage: String? = nil,
        parameters: SubscriberParameters? = nil, liftsQuarantine: Bool = false
    ) {
        (self.app, self.token, self.userKey, self.osLanguage) = (app, token, userKey, osLanguage)
        (self.parameters, self.liftsQuarantine) = (parameters, liftsQuarantine)
    }

    package func prepare(in operations: Operations) throws -> Step<AddedSubscriber> {
        let app = try operations.requireApp(named: app)
        var faults = Faults()
        let record = SubscriberRecord(
            token: token, userKey: userKey, language: osLanguage ?? "", parameters: parameters?.values ?? [],
            of: app.settings.platform, declared: app.settings.parameters
        ) { faults.note($0, $1) }
        guard let record else { throw OperationError(.refused, lines: faults.lines) }
        let (registers, now) = (liftsQuarantine, operations.clock.moment())
        return Step { store in
            let counts = try store.subscriberImporter.upsert(
                [record], into: app.id, at: now, registers: registers)
            return AddedSubscriber(app: app.name, counts)
        }
    }
}

/// Subscription parameters in their JSON form: texts keyed by name.
package struct SubscriberParameters: Readable, Equatable {
    package private(set) var members: [JSONMember] = []

    package init(_ values: [String: String]) {
        members = values.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: .string($0.value)) }
    }

    package static var schema: Schema { .map(.string) }
    package static var sample: Self? { Self([:]) }
    package var json: JSONValue? { .object(members) }

    package static func read(_ json: JSONValue, at path: String, _ faults: inout Faults) -> Self? {
        guard case .object(let members) = json else { return faults.refuse(json, at: path, "an object") }
        var parameters = Self([:])
        for member in members {
            let place = Faults.path(path, member.key.printable(atMost: 64))
            guard String.read(member.value, at: place, &faults) != nil else { continue }
            parameters.members.append(member)
        }
        return parameters.members.count == members.count ? parameters : nil
    }

    fileprivate var values: [(name: String, value: String)] {
        members.compactMap { member in
            if case .string(let text) = member.value { (member.key, text) } else { nil }
        }
    }
}

package struct AddedSubscriber: View, Equatable {
    package enum Result: String, Codable, Word { case created, updated, unchanged }

    package static let about = [
        "excluded": "whether deliveries exclude the subscriber because it is in quarantine or disabled",
        "optedOut": "whether deliveries exclude the subscriber because the person has opted out",
    ]

    package var app: String
    package var result: Result
    package var excluded: Bool
    package var optedOut: Bool

    fileprivate init(app: String, _ counts: ImportCounts) {
        self.app = app
        result = counts.inserted > 0 ? .created : counts.updated > 0 ? .updated : .unchanged
        excluded = counts.excluded > 0
        optedOut = counts.optedOut > 0
    }
}
