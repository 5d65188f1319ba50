internal import PushAPI
internal import PushModel

extension ShowAppIntegration: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            The command prints the addresses and the integration key that the app needs, the variables, \
            sounds, categories and parameters that the app and the deliveries agree on, and code with these \
            values: for both SDKs of Campaign, and for an app without an SDK. The addresses are those of \
            web/@publicUrl in serverConf.xml.

            Example: pushmta app integration shop-ios
            """)

    static func lines(_ integration: AppIntegration) -> [String] {
        let code = integration.snippets.flatMap { snippet in
            ["", "# \(snippet.title)", ""] + snippet.code.split(separator: "\n").map(String.init)
        }
        return FieldList(integration.fields).lines + code
    }

    static func conclude(_ integration: AppIntegration) {
        StandardError.warn(of: integration.warnings)
    }
}

extension AppIntegration {
    fileprivate var fields: [(name: String, value: String)] {
        let shown: Set = [
            "name", "platform", "environment", "message ids", "variables", "parameters", "sounds",
            "categories",
        ]
        return [
            ("integration key", app.integrationKey), ("former key", app.formerIntegrationKey ?? ""),
            ("marketing URL", marketingUrl ?? ""), ("tracking URL", trackingUrl ?? ""),
            ("registration", registrationUrl ?? ""), ("reports", reportUrl ?? ""),
        ] + app.fields().filter { shown.contains($0.name) }
    }
}
