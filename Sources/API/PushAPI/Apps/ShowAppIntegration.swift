internal import PushConfig
internal import PushModel
internal import PushStore
internal import PushWire

/// Shows what the developer of an app needs: the addresses, the keys, the names that messages contain, and
/// code.
package struct ShowAppIntegration: ShortOperation, UseCase {
    package static let name = "app.integration"
    package static let operation = Operation(
        .get, "/apps/{name}/integration", .read,
        "Returns what an app's developer needs: addresses, keys, names, and code for the app.")
    package static let members: [Member<Self>] = [.path(\.name, "name", AppFields.nameHelp)]

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> AppIntegration {
        let app = try operations.requireApp(named: name)
        let view = try AppView(app, in: operations.store.catalogue)
        let url = operations.settings.web.publicURL
        return AppIntegration(
            app: view, marketingUrl: url.map { "\($0.text)/" }, trackingUrl: url.map { "\($0.text)/" },
            server: url.map { $0.authority + $0.path },
            registrationUrl: url.flatMap { url in
                RegistrationPage.path(for: app.settings.platform).map { url.text + $0 }
            },
            reportUrl: url.map { "\($0.text)/r/" }, snippets: AppSnippets(view, server: url).all,
            warnings: Self.warnings(about: view, url))
    }

    private static func warnings(about app: AppView, _ url: PublicURL?) -> [String] {
        var warnings: [String] = []
        if url == nil {
            warnings.append(
                "web/@publicUrl is not set, so the code contains \(AppSnippets.exampleServer); set it in "
                    + "serverConf.xml to the URL at which devices reach the web module")
        } else if let url, !url.isSecure {
            warnings.append(
                "web/@publicUrl is not HTTPS: the extensions of Adobe's SDK always use HTTPS, and iOS and "
                    + "Android refuse HTTP in published apps")
        }
        if app.platform == .android, app.messageIdFormat == .uuid {
            warnings.append(
                "the Neolane SDK for Android reads message ids as integers, and this app's message ids are "
                    + "UUIDs; set the format of its message ids to integer if the app uses that SDK")
        }
        return warnings
    }
}

/// What the developer of an app needs.
package struct AppIntegration: View, Equatable {
    package static let about = [
        "marketingUrl": "for the Neolane SDK: the marketing host; null if web/@publicUrl is not set",
        "trackingUrl": "for the Neolane SDK: the tracking host; null if web/@publicUrl is not set",
        "server": "for the extensions of Adobe's SDK: the marketing server and the tracking server",
        "registrationUrl": "where devices register",
        "reportUrl": "where devices report received and opened messages",
        "snippets": "code for the app", "warnings": "what the developer or the operator must correct first",
    ]

    package var app: AppView
    package var marketingUrl: String?
    package var trackingUrl: String?
    package var server: String?
    package var registrationUrl: String?
    package var reportUrl: String?
    package var snippets: [AppSnippet]
    package var warnings: [String]
}
