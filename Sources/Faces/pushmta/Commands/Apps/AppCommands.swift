internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushModel
internal import PushStore

struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Manage applications, which have a platform, a credential for a gateway, and subscribers.",
        subcommands: [
            AppCreate.self, command(ListApps.self), command(ShowApp.self), AppUpdate.self,
            command(DeleteApp.self), AppTest.self, AppSwitch.self, command(SwitchAppBack.self),
            AppRehearse.self, AppIconPrint.self, command(ShowAppIntegration.self),
            command(ListUnknownKeys.self),
        ])
}

extension ListApps: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta app list --service shop")
    static func lines(_ apps: [AppView]) -> [String] {
        var table = TextTable([
            "NAME", "SERVICE", "PLATFORM", "CONNECTOR", "ENVIRONMENT", "BUNDLE ID", "LABEL",
        ])
        for app in apps {
            table.append([
                app.name, app.service, app.platform.rawValue, app.connector.rawValue,
                app.environment.rawValue, app.bundleId ?? "", app.label ?? "",
            ])
        }
        return table.lines
    }
}

extension ShowApp: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            The command shows a credential's identity (team and key, certificate, project and account, or \
            fingerprint of a project key), never its contents. "undeclared" lists each parameter that \
            devices sent when they registered but that the application does not declare, with the number of \
            registrations. The values of undeclared parameters are not stored. If the application has two \
            integration keys, the command shows how often devices registered with each of them since the \
            second key was added.

            Example: pushmta app show shop-ios
            """)
    static func lines(_ details: AppDetails) -> [String] {
        var fields = details.app.fields(details.integrationKeys) + [("undeclared", details.undeclaredText)]
        fields.append(("subscribers", Numerals.grouped(details.subscribers)))
        let others = details.integrationKeySharedWith
        if !others.isEmpty { fields.append(("same key", others.joined(separator: ", "))) }
        if let pairedWith = details.pairedWith { fields.append(("pair", pairedWith)) }
        if let former = details.formerConnection { fields.append(("previous", former.text)) }
        return FieldList(fields).lines
    }
}

extension DeleteApp: Confirmed {
    static let form = CommandForm(
        discussion: """
            The command is refused while a delivery to the application has not ended. Logs of past \
            deliveries are kept, with user keys and without tokens. The application is removed immediately. \
            If the command is interrupted, the next deletion or start of the service removes the remaining \
            subscribers.

            Example: pushmta app delete shop-ios
            """)

    func confirm(in operations: Operations) throws {
        let present = try operations.carryOut(ShowApp(name: name))
        let subscribers = Numerals.count(present.subscribers, "subscriber")
        try Confirmation.ask(
            "delete app \(present.app.name) with \(subscribers)?",
            elsewhere:
                "deleting app \(present.app.name) also deletes its \(subscribers); add --yes to delete it",
            refusal: "nothing was deleted")
    }

    static func lines(_ deleted: Answer) -> [String] {
        ["app \(deleted.name) deleted with \(Numerals.count(deleted.subscribers, "subscriber"))"]
    }
}

struct AppIconPrint: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "icon", abstract: "Write an app's icon, a PNG, to standard output.",
        discussion: "Example: pushmta app icon shop-ios > icon.png")

    @OptionGroup var members: MemberArguments<ShowAppIcon>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let icon = try members.request().carryOut(by: Operations(config))
        if json.isWanted { return try StandardOutput.json(icon) }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure.refused(
                "a terminal cannot display a PNG: redirect standard output to a file")
        }
        var output = FileWriter()
        try output.append { $0 += icon.icon.png }
        try output.finish()
    }
}

extension ShowAppIcon: CommandUseCase {}

extension ListUnknownKeys: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            If an app cannot register, the list shows which key it sends and when. Compare the key with \
            "integration key" in the output of 'app show'. If an app of another platform has the key, the \
            device used the wrong page or SDK. A key is removed from the list when an app of the platform \
            has it, or 30 days after the last registration with it.

            Example: pushmta app unknown-keys
            """)
    static func lines(_ keys: [UnknownKeyView]) -> [String] {
        guard !keys.isEmpty else { return ["no device has sent an unknown integration key"] }
        var table = TextTable(
            ["KEY", "PLATFORM", "REGISTRATIONS", "FIRST", "LAST", "APPS OF OTHER PLATFORMS"],
            numeric: ["REGISTRATIONS"])
        for key in keys {
            table.append([
                key.integrationKey ?? "(further keys)", key.platform ?? "", "\(key.registrations)",
                key.firstAt.utcText, key.lastAt.utcText, key.appsOfOtherPlatforms.joined(separator: ", "),
            ])
        }
        return table.lines
    }
}

extension AppView {
    /// - Parameter keys: The use of the integration keys, if the app has two.
    func fields(_ keys: [IntegrationKeyState] = []) -> [(name: String, value: String)] {
        let use = keys.map { state in " (\(state.use)\(state.isInUse ? "" : "; can be retired"))" }
        let former = formerIntegrationKey.map { [("former key", $0 + (use.last ?? ""))] } ?? []
        return [
            ("name", name),
            ("label", label ?? ""),
            ("service", service),
            ("platform", platform.rawValue),
            ("integration key", integrationKey + (use.first ?? "")),
        ] + former + [
            ("connector", connector.rawValue),
            ("environment", environment.rawValue),
            ("bundle id", bundleId ?? ""),
            ("credential", credential ?? ""),
            ("message ids", messageIdFormat.rawValue),
            ("variables", variables.map(\.argument).joined(separator: ", ")),
            ("parameters", parameters.map { "\($0.name):\($0.kind.rawValue)" }.joined(separator: ", ")),
            (
                "icon",
                icon.map { "\($0.width) by \($0.height) pixels, \(Numerals.grouped($0.bytes)) bytes" } ?? ""
            ),
            ("sounds", sounds.map { "\($0.internalName)=\($0.label)" }.joined(separator: ", ")),
            ("categories", categories.map { "\($0.internalName)=\($0.label)" }.joined(separator: ", ")),
        ]
    }
}

extension AppDetails {
    /// A text such as `fristName (1 204 registrations), further names (12)`.
    var undeclaredText: String {
        undeclaredParameters.map { parameter in
            guard let name = parameter.name else {
                return "further names (\(Numerals.grouped(parameter.registrations)))"
            }
            return "\(name) (\(Numerals.count(parameter.registrations, "registration")))"
        }.joined(separator: ", ")
    }
}

extension AppChange {
    /// The app, and the other app of its pair if that app was created or changed as well.
    var apps: [AppView] { [app] + (sandbox.map { [$0] } ?? []) }

    /// Prints warnings about probable mistakes, and how long the credential is valid.
    func announce() {
        StandardError.warn(of: warnings)
        if let end = credentialEndsAt { StandardError.line("the certificate is valid until \(end.utcText)") }
    }
}
