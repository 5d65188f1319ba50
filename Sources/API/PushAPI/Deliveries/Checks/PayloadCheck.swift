internal import GatewayKit
internal import PushConnectors
internal import PushModel
internal import PushPayload

/// Whether a gateway would take a content: with the widest values that any message can have.
enum PayloadCheck {
    static func check(_ content: Content, tracking: Bool, for app: App) throws(PayloadError) {
        _ = try template(of: content, tracking: tracking, for: app)
    }

    /// The payload as any message of the app can have it, with the widest id of a delivery.
    static func template(
        of content: Content, tracking: Bool, for app: App
    ) throws(PayloadError) -> PayloadTemplate {
        try ConnectorCatalogue.template(
            of: content, for: app.settings, delivery: widestID, tracking: tracking)
    }

    static let widestID = DeliveryID(rawValue: Int64(Int32.max))

    /// Each app is sent those that it declares; one that none declares is a slip of the pen. An app that
    /// declares none takes any.
    /// - Returns: variables of the content that no app knows, in quotes; nil: there are none.
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

    /// What a gateway would take and no device get: asked at submission only, so that what was taken before
    /// is sent on.
    /// - Returns: the first thing that the content cannot be for one of these apps, with its path; nil: there
    ///   is none.
    static func misfit(of content: Content, for apps: [App]) -> String? {
        lostText(of: content, for: apps) ?? apps.lazy.compactMap { misfit(of: content, for: $0) }.first
    }

    /// A title or a body that no app's devices show.
    static func lostText(of content: Content, for apps: [App]) -> String? {
        let reasons = apps.map { rules(for: $0).hidesTexts(content) }
        guard let why = reasons.first ?? nil, !reasons.contains(nil) else { return nil }
        let versions =
            [("content", content)]
            + content.languages.map { ("content.languages.\($0.language)", $0.content) }
        let texts = versions.flatMap { [("\($0).title", $1.title), ("\($0).body", $1.body)] }
        return texts.first { $0.1?.isEmpty == false }.map { "\($0.0): \(why)" }
    }

    static func misfit(of content: Content, for app: App) -> String? {
        rules(for: app).misfit(content, app.settings)
    }

    /// Those of the gateway that an app's messages are made for.
    static func rules(for app: App) -> ContentRules {
        ConnectorCatalogue.speaking(for: app.settings)?.content ?? ContentRules()
    }

    /// What of a content does not reach an app's devices, or not as it was meant, a line each.
    static func warnings(of content: Content, for app: App) -> [String] {
        var lines: [String] = []
        for line in content.versions.flatMap({ warningsOfOne($0, for: app) }) where !lines.contains(line) {
            lines.append(line)
        }
        return lines
    }

    private static func warningsOfOne(_ content: Content, for app: App) -> [String] {
        let (settings, rules) = (app.settings, rules(for: app))
        var lines = rules.unsent(content, settings)
        if let sound = rules.sound(content), sound != systemSound,
            !settings.sounds.contains(where: { $0.internalName == sound })
        {
            lines.append(
                "sound \"\(sound.printable(atMost: 64))\" is neither \"\(systemSound)\" nor one that the app "
                    + "declares")
        }
        return lines.map { "app \(app.name): \($0)" }
    }

    /// What platforms call the device's own sound.
    private static let systemSound = "default"
}
