internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushPayload

/// Checks whether a gateway would accept the messages that are created from a content, even those with the
/// widest values that any message can have.
enum PayloadCheck {
    /// - Parameter gateways: The settings that contain the gateways' limits.
    static func check(
        _ content: Content, tracking: Bool, for app: App, _ gateways: NMACConfiguration
    ) throws(PayloadError) {
        _ = try template(of: content, tracking: tracking, for: app, gateways)
    }

    /// Returns the payload template for the app's messages, with the widest id of a delivery.
    static func template(
        of content: Content, tracking: Bool, for app: App, _ gateways: NMACConfiguration
    ) throws(PayloadError) -> PayloadTemplate {
        try ConnectorCatalogue.template(
            of: content, for: app.settings, delivery: widestID, tracking: tracking, gateways)
    }

    static let widestID = DeliveryID(rawValue: Int64(Int32.max))

    /// Finds variables that no app declares. Each app receives the variables that it declares, so a variable
    /// that no app declares is a misspelling. An app that declares no variables accepts any.
    /// - Returns: The variables of the content that no app knows, in quotation marks; `nil` if there are
    ///   none.
    static func strangeVariables(of content: Content, for apps: [App]) -> String? {
        guard apps.allSatisfy({ !$0.settings.variables.isEmpty }) else { return nil }
        let known = Set(apps.flatMap { $0.settings.variables.map(\.name) })
        var strange: [String] = []
        for name in content.versions.flatMap({ $0.variables.map(\.name) })
        where !known.contains(name) && !strange.contains(name) {
            strange.append(name)
        }
        return strange.isEmpty ? nil : strange.map { "\"\($0.prefix(64))\"" }.joined(separator: ", ")
    }

    /// Returns the text of an error. If the payload exceeds a limit that the operator can change, the text
    /// names the setting.
    static func text(of error: PayloadError, for app: App) -> String {
        guard error.isTooLong,
            let limit = ConnectorCatalogue.entry(app.settings.connector)?.explainPayloadLimit
        else { return "\(error)" }
        return "\(error); \(ConnectorCatalogue.settings.path(of: limit)) sets the limit"
    }

    /// Finds content that a gateway would accept but that no device would receive. This is checked at
    /// submission only, so that deliveries that were accepted earlier are still sent.
    /// - Returns: The first value that the content must not have for one of these apps, with its path; `nil`
    ///   if there is none.
    static func mismatch(of content: Content, for apps: [App]) -> String? {
        lostText(of: content, for: apps) ?? apps.lazy.compactMap { mismatch(of: content, for: $0) }.first
    }

    /// Returns what the content lacks for an app whose devices would show nothing; `nil` if they show
    /// something, or if the content states for any platform that it is not shown.
    static func lackOfText(of content: Content, for app: App) -> String? {
        let isSilent = ConnectorCatalogue.entries.contains { $0.content.hidesTexts(content) != nil }
        return isSilent ? nil : rules(for: app).lackOfText(content, app.settings)
    }

    /// Finds a title or a body that no app's devices display.
    static func lostText(of content: Content, for apps: [App]) -> String? {
        let reasons = apps.map { rules(for: $0).hidesTexts(content) }
        guard let why = reasons.first ?? nil, !reasons.contains(nil) else { return nil }
        let texts = versions(of: content).flatMap { [("\($0).title", $1.title), ("\($0).body", $1.body)] }
        return texts.first { $0.1?.isEmpty == false }.map { "\($0.0): \(why)" }
    }

    /// Returns a content and the contents for its languages, each with its path in a document.
    private static func versions(of content: Content) -> [(String, Content)] {
        [("content", content)]
            + content.languages.map { ("content.languages.\($0.language)", $0.content) }
    }

    /// Returns warnings about placeholders in the syntax of other systems, one line for each text. A text
    /// that a language inherits is mentioned once.
    static func foreignPlaceholders(in content: Content) -> [String] {
        var known = Set<Content.ForeignText>()
        var lines: [String] = []
        for (path, version) in versions(of: content) {
            for text in version.foreignTexts where known.insert(text).inserted {
                lines.append("\(path).\(text.path.printable(atMost: 64)): \(literal(text))")
            }
        }
        return lines
    }

    private static func literal(_ text: Content.ForeignText) -> String {
        let found = text.placeholders
        let shown = found.prefix(maxListed).map { "\"\($0.spelling.printable(atMost: 64))\"" }
        let list = (shown + (found.count > maxListed ? ["…"] : [])).joined(separator: ", ")
        let name = found.lazy.compactMap(\.name).first?.printable(atMost: 64) ?? "name"
        return text.isFixed
            ? "sent literally: \(list); this text is the same for all messages of a delivery"
            : "sent literally: \(list); the syntax of a placeholder is {{\(name)}}"
    }

    /// The maximum number of placeholders that a text lists.
    private static let maxListed = 4

    static func mismatch(of content: Content, for app: App) -> String? {
        rules(for: app).mismatch(content, app.settings)
    }

    /// Returns the rules of the gateway for which an app's messages are created.
    static func rules(for app: App) -> ContentRules {
        ConnectorCatalogue.speaking(for: app.settings)?.content ?? ContentRules()
    }

    /// Returns warnings about content that does not reach the apps' devices, or does not reach them as
    /// intended, one line each.
    static func warnings(of content: Content, for groups: AppGroups) -> [String] {
        warningsByApp(of: content, for: groups).map(\.text)
    }

    static func warningsByApp(of content: Content, for groups: AppGroups) -> [(app: AppID, text: String)] {
        groups.findings { texts(of: content, for: $0) }.flatMap { app, texts in
            texts.map { (app.id, "app \(app.name): \($0)") }
        }
    }

    static func warnings(of content: Content, for app: App) -> [String] {
        warnings(of: content, for: AppGroups([app]))
    }

    /// The texts of the warnings, without the app's name.
    private static func texts(of content: Content, for app: App) -> [String] {
        content.versions.reduce(into: []) { texts, version in
            texts += textsOfOne(version, for: app).filter { !texts.contains($0) }
        }
    }

    private static func textsOfOne(_ content: Content, for app: App) -> [String] {
        let (settings, rules) = (app.settings, rules(for: app))
        var lines = rules.unsent(content, settings) + rules.withoutEffect(content, settings)
        if let sound = rules.sound(content), sound != systemSound,
            !settings.sounds.contains(where: { $0.internalName == sound })
        {
            lines.append(
                "sound \"\(sound.printable(atMost: 64))\" is neither \"\(systemSound)\" nor a sound that the "
                    + "app declares")
        }
        if let category = rules.category(content),
            !settings.categories.contains(where: { $0.internalName == category })
        {
            lines.append(
                "category \"\(category.printable(atMost: 64))\" is not a category that the app declares")
        }
        return lines
    }

    /// The platforms' name for the device's default sound.
    private static let systemSound = "default"
}

extension PayloadError {
    fileprivate var isTooLong: Bool {
        switch self {
        case .tooLong: true
        case .language(_, let error): error.isTooLong
        default: false
        }
    }
}
