internal import PushModel
internal import PushStore

/// Two apps of a service for the same application: one for production tokens, and one for sandbox tokens,
/// with which developers try out a build. The name of the second one is the name of the first one followed by
/// ``CreateApp/sandboxEnding``. Each has its own integration key, credential and subscribers.
struct AppPair {
    let production: App
    let sandbox: App

    /// - Throws: A refusal if the app does not belong to a pair.
    init(of app: App, in catalogue: Catalogue) throws {
        guard let other = try Self.other(than: app, in: catalogue) else {
            let wanted =
                Self.otherName(of: app).map {
                    "a pair consists of two apps of the same service and platform, and there is no app \($0) "
                        + "in the other environment"
                } ?? "the name of an app for sandbox tokens must end with \(CreateApp.sandboxEnding)"
            throw OperationError.refused("app \(app.name) does not belong to a pair: \(wanted)")
        }
        (production, sandbox) = app.settings.environment == .production ? (app, other) : (other, app)
    }

    /// Returns the other app of the pair; `nil` if the app does not belong to a pair.
    static func other(than app: App, in catalogue: Catalogue) throws -> App? {
        guard let name = otherName(of: app), let other = try catalogue.app(named: name),
            other.service == app.service, other.settings.platform == app.settings.platform,
            other.settings.environment != app.settings.environment
        else { return nil }
        return other
    }

    private static func otherName(of app: App) -> String? {
        guard app.settings.environment == .sandbox else { return app.name + CreateApp.sandboxEnding }
        guard app.name.hasSuffix(CreateApp.sandboxEnding) else { return nil }
        return String(app.name.dropLast(CreateApp.sandboxEnding.count))
    }
}
