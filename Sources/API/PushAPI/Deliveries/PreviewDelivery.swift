internal import GatewayKit
internal import PushConfig
internal import PushConnectors
package import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// Shows what one device, or the devices of one person, would receive from a delivery that has not been
/// submitted. The target does not select the devices. It only supplies the variables of its recipients; a
/// device that belongs to none of the listed recipients gets the variables of the first one. A device outside
/// the target causes a warning. Everything else that ``SubmitDelivery`` would refuse is refused here, too.
package struct PreviewDelivery: ShortOperation, UseCase {
    package static let name = "delivery.preview"
    /// The size of the largest document, with room for the recipient.
    static let maxBodyBytes = DeliveryDocument.maximumBytes + 64 << 10
    package static let operation = Operation(
        .post, "\(SubmitDelivery.path)/preview", .read,
        """
        Returns the payloads that a device, or all of a person's devices, would receive from this document. \
        Nothing is stored.
        """,
        .read,
        maxBodyBytes: maxBodyBytes, reach: .services)
    package static let example =
        #"""
        {"document": {"label": "Spring sale", "service": "neotrips", "content": {"title": "20% off"}},
        "userKey": "anna"}
        """#
    package static let members: [Member<Self>] = [
        .field(
            \.document, "document", "A delivery document, with or without a target.",
            schema: DeliveryDocument.schemaWithoutTarget(ConnectorCatalogue.contents)),
        .field(\.who.token, "token", SubscriberName.tokenHelp).secret,
        .field(\.who.userKey, "userKey", SubscriberName.userKeyHelp).secret,
        .field(\.app, "app", "One of the delivery's apps; null means all of its apps."),
        .inner(\.documentName, "documentName", default: "document"),
    ]
    package static let alternatives = SubscriberName.alternatives

    private var document = JSONDocument()
    /// The name of the document in error texts.
    private var documentName = "document"
    private var who = SubscriberName.token("")
    private var app: String?

    package init() {}

    package init(document: [UInt8], documentName: String, who: SubscriberName, app: String? = nil) {
        self.document.bytes = document
        self.documentName = documentName
        self.who = who
        self.app = app
    }

    package func perform(in operations: Operations) throws -> DeliveryPreviewView {
        let document = try SubmitDelivery(document: document.bytes, documentName: documentName)
            .parsedForOthers(in: operations)
        let intake = DeliveryIntake(operations, documentName: documentName)
        let checked = try intake.order(document, target: .all)
        let apps = try chosen(of: checked.apps)
        let target = try document.target.map { try intake.settled($0, for: checked.apps) }
        let (begin, end) = checked.order.schedule.window(at: operations.clock.moment().time)
        var devices: [DeliveryPreviewView.Device] = []
        var warnings: [String] = []
        let everything =
            try who.hasEmptyName ? [] : who.found(of: apps.map(Catalogue.AppName.init), in: operations)
        if everything.count == SubscriberFinder.limit {
            warnings.append("only the first \(Numerals.grouped(everything.count)) devices are shown")
        }
        let byApp = Dictionary(grouping: everything, by: \.app)
        for app in apps {
            guard let found = byApp[app.id] else { continue }
            let known = CollectedFact.known(besides: app.settings.parameters)
            let outside = found.count { target?.leavesOut($0, known, from: begin) == true }
            if outside > 0 {
                warnings.append(
                    "app \(app.name): the delivery's target leaves out "
                        + "\(Numerals.count(outside, "device")) that the preview shows")
            }
            let preview = try PayloadPreview(
                of: document.content, tracking: document.tracking, for: app, from: begin, expiresAt: end,
                operations.settings.nmac)
            let headers = Self.headers(of: document.content, for: app, expiresAt: end)
            devices += found.map {
                let variables = target?.variables(shownTo: $0.userKey, token: $0.token) ?? []
                return DeliveryPreviewView.Device($0, saying: variables, of: app, preview, headers: headers)
            }
        }
        guard !devices.isEmpty else {
            let whom = if case .token = who { "this token" } else { "this user key" }
            let whose = app.map { "app \($0)" } ?? "the delivery's apps"
            throw OperationError.absent("no subscriber of \(whose) has \(whom)")
        }
        return DeliveryPreviewView(
            devices: devices,
            warnings: warnings + PayloadCheck.foreignPlaceholders(in: document.content)
                + PayloadCheck.warnings(of: document.content, for: AppGroups(apps)))
    }

    private func chosen(of apps: [App]) throws(OperationError) -> [App] {
        guard let app else { return apps }
        let chosen = apps.filter { $0.name == app }
        guard !chosen.isEmpty else {
            let names = apps.map(\.name).joined(separator: ", ")
            throw .absent(
                documentName.naming("the delivery does not include app \(app); its apps are: \(names)"))
        }
        return chosen
    }

    /// Returns the header fields that APNs receives over HTTP/2 in addition to the payload.
    private static func headers(
        of content: Content, for app: App, expiresAt: WallTime
    ) -> [String: String] {
        ConnectorCatalogue.speaking(for: app.settings)?.headers(content, app.settings.bundleID, expiresAt)
            ?? [:]
    }
}

extension Target {
    /// Reports whether the target leaves out a subscriber because of the subscriber's own data. Lists in the
    /// store, samples and other deliveries are not considered.
    /// - Parameters:
    ///   - known: The facts that the conditions can use.
    ///   - start: The start of the delivery.
    fileprivate func leavesOut(
        _ facts: SubscriberFacts, _ known: Set<CollectedFact>, from start: WallTime
    ) -> Bool {
        if exclusion.userKeys.contains(facts.userKey) || exclusion.tokens.contains(facts.token) {
            return true
        }
        if exclusion.sets.contains(where: { $0.contains(facts, known, from: start) == true }) { return true }
        func fails(_ expression: TargetExpression) -> Bool { !facts.matches(expression, known, from: start) }
        return switch base {
        case .userKeys(let keys): !keys.contains(facts.userKey)
        case .tokens(let tokens): !tokens.contains(facts.token)
        case .parameters(let wanted): fails(.and(wanted.map { .compare($0.key, .equal, .text($0.value)) }))
        case .matching(let expression): fails(expression)
        case .combined(let set): set.contains(facts, known, from: start) == false
        case .all, .list, .recipients, .openers, .nonOpeners: false
        }
    }
}

extension TargetTree<[String]> {
    /// Reports whether the set contains a subscriber; `nil` if that depends on another delivery.
    /// - Parameters:
    ///   - known: The facts that the conditions can use.
    ///   - start: The start of the delivery.
    fileprivate func contains(
        _ facts: SubscriberFacts, _ known: Set<CollectedFact>, from start: WallTime
    ) -> Bool? {
        switch self {
        case .all: return true
        case .userKeys(let keys): return keys.contains(facts.userKey)
        case .tokens(let tokens): return tokens.contains(facts.token)
        case .matching(let expression): return facts.matches(expression, known, from: start)
        case .sent: return nil
        case .and(let parts):
            let answers = parts.map { $0.contains(facts, known, from: start) }
            return answers.contains(false) ? false : answers.contains(nil) ? nil : true
        case .or(let parts):
            let answers = parts.map { $0.contains(facts, known, from: start) }
            return answers.contains(true) ? true : answers.contains(nil) ? nil : false
        case .not(let part): return part.contains(facts, known, from: start).map { !$0 }
        }
    }
}

extension SubscriberFacts {
    fileprivate func matches(
        _ expression: TargetExpression, _ known: Set<CollectedFact>, from start: WallTime
    ) -> Bool {
        var matcher = TargetMatcher(expression, facts: known, from: start)
        matcher.read(Array((parametersJSON ?? "").utf8).span)
        matcher.note(collected)
        return matcher.isMatch
    }
}

extension SubscriberName {
    /// Whether the name is empty. All subscribers without a user key have the empty user key.
    fileprivate var hasEmptyName: Bool {
        switch self {
        case .token(let text), .userKey(let text): text.isEmpty
        }
    }
}

/// What devices would receive from a delivery, with placeholders for its ids.
package struct DeliveryPreviewView: View, Equatable {
    package struct Device: View, Equatable {
        package static let about = [
            "language":
                """
            the content's language that the device receives; null if it receives the content for all \
            other languages
            """,
            "message": "null if no message can be created; see fault",
            "fault": "the reason why nothing would be sent to a valid device",
        ]

        package var app: String
        package var environment: PushEnvironment
        package var token: String
        package var userKey: String
        /// `valid`, or a quarantine state, in which nothing is sent.
        package var state: String
        package var language: String?
        package var message: PayloadView?
        package var fault: String?
        /// Header fields that accompany the payload, keyed by name; empty if the gateway takes none.
        package var headers: [String: String]
    }

    package var devices: [Device]
    /// Warnings about devices outside the target, and about content that does not reach the apps as intended,
    /// one line each.
    package var warnings: [String]
}

extension DeliveryPreviewView.Device {
    init(
        _ facts: SubscriberFacts, saying variables: [UInt8], of app: App, _ preview: PayloadPreview,
        headers: [String: String] = [:]
    ) {
        let token = Array(facts.token.utf8)
        let known = CollectedFact.known(besides: app.settings.parameters)
        let filling = MessageFilling.bytes(
            language: facts.device.language, parameters: Array((facts.parametersJSON ?? "").utf8),
            facts: MessageFilling.object(known, of: facts.collected), variables: variables)
        var message: PayloadView?
        var fault: String?
        switch preview.rendered(token: token, filling: filling) {
        case .payload(let bytes): message = preview.view(of: bytes, token: token, filling: filling)
        case .tooLarge: fault = "the payload exceeds the gateway's limit"
        case .missing(let name): fault = "no value for {{\(name.printable(atMost: 64))}}"
        }
        self.init(
            app: app.name, environment: app.settings.environment, token: facts.token, userKey: facts.userKey,
            state: facts.state?.name ?? "valid", language: preview.language(of: filling)?.text,
            message: message, fault: fault, headers: headers)
    }
}
