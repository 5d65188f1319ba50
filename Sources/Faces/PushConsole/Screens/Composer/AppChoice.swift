internal import PushAPI
internal import PushModel
internal import PushWire

/// The field that chooses the apps of a delivery: all apps in production, all in the sandbox, or one app.
enum AppChoice {
    /// No app has such a name: `@` and a space are at its ends.
    static let sandbox = "@ sandbox "
    /// Apps that the field cannot show. They stay as they are.
    static let several = "@ several "

    static func value(_ document: DraftDocument) -> String {
        let (apps, environments) = (document["apps"]?.strings ?? [], document["environments"]?.strings ?? [])
        switch (apps.count, environments) {
        case (0, []), (0, [PushEnvironment.production.rawValue]): return ""
        case (0, [PushEnvironment.sandbox.rawValue]): return sandbox
        case (1, []): return apps[0]
        default: return several
        }
    }

    static func choices(_ composer: Composer) -> [Fields.Choice] {
        var choices: [Fields.Choice] = []
        let value = value(composer.document)
        let apps = composer.serviceApps
        if value == several { choices.append(.init(several, Phrase.severalApps)) }
        if value.isEmpty || apps.contains(where: { $0.environment == .production }) {
            choices.append(.init("", Phrase.allApps))
        }
        if value == sandbox || apps.contains(where: { $0.environment == .sandbox }) {
            choices.append(.init(sandbox, Phrase.sandboxApps))
        }
        if apps.count > 1 || value != "" {
            choices += apps.prefix(1_000).map { Fields.Choice($0.name, $0.shownName) }
        }
        return choices
    }
}

extension AppView {
    /// The app's name with its platform, and with its environment if that is the sandbox.
    var shownName: HTML {
        let test: HTML? = environment == .sandbox ? ", \(Phrase.sandbox)" : nil
        return "\(name: label ?? name) (\(platform.title)\(test))"
    }
}

extension Phrase {
    fileprivate static let allApps = Phrase("All apps in production", "Alle Apps in Produktion")
    fileprivate static let sandboxApps = Phrase(
        "All apps in the sandbox, for tests", "Alle Apps in der Sandbox, zum Testen")
    fileprivate static let severalApps = Phrase("The chosen apps", "Die gewählten Apps")
    fileprivate static let sandbox = Phrase("sandbox", "Sandbox")
}
