internal import ArgumentParser
internal import GatewayKit
internal import PushAPI
internal import PushModel

struct AppUpdate: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change an application. Settings that you do not name stay unchanged.",
        discussion: """
            The platform cannot be changed. The environment cannot be changed once the app has subscribers: \
            tokens belong to a platform and an environment, so an app with another environment would be a \
            different app. A new connector or credential also applies to deliveries in progress: messages in \
            flight complete through the old connector; all other messages, including retries, are sent \
            through the new connector. Subscribers, their states and the quarantine are unchanged. A new \
            credential must pass the checks that 'app create' describes. A new bundle id, variables and a \
            new format of message ids apply only to deliveries that are submitted after the change, unless \
            --live-deliveries is given. A new connector is refused while a delivery whose content it cannot \
            send is in progress. An app that changes to stub keeps its credential. This command does not \
            contact the gateway; 'app switch' tests a new connector or credential first.

            With --pair, the command changes both apps of a pair.

            To change the integration key while installed apps have the old one, add the new key with \
            --add-integration-key and build the app with it. Devices can then register with both keys, and \
            'app show' counts the registrations with each. When no device registers with the old key any \
            more, remove it with --retire-integration-key. If a device registered with it in the last \
            \(IntegrationKeyState.quietDays) days, the command asks for confirmation on a terminal and \
            requires --yes elsewhere.

            The example changes from APNs' binary protocol to HTTP/2.

            Example: pushmta app update shop-ios --connector iosHTTP2 --p8 AuthKey_ABC1234567.p8 \
            --key-id ABC1234567 --team-id DEF1234567
            """)

    @OptionGroup var members: MemberArguments<UpdateApp>
    @OptionGroup(title: "Credential") var credential: CredentialOptions
    @OptionGroup var icon: IconOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard icon.icon == nil || !members.isGiven("removesIcon") else {
            throw ValidationError("Give either --icon or --remove-icon, not both.")
        }
    }

    func run() throws {
        let others = ["credential": try credential.file()?.json, "icon": try icon.image()?.json]
        let (request, operations) = (try members.request(with: others), try Operations(config))
        if !members.isConfirmed { try request.confirm(in: operations) }
        try request.run(by: operations, json)
    }
}

extension UpdateApp: Confirmed {
    /// Asks before a key is retired that devices still use.
    func confirm(in operations: Operations) throws {
        guard let key = retiredIntegrationKey else { return }
        let keys = try operations.carryOut(ShowApp(name: name)).integrationKeys
        guard let state = keys.first(where: { ExactText($0.key) == ExactText(key) }), state.isInUse else {
            return
        }
        try Confirmation.ask(
            "retire the integration key \(key) of app \(name) (\(state.use))?",
            elsewhere:
                "devices may still register with the integration key \(key) (\(state.use)); add --yes to "
                + "retire it",
            refusal: "nothing was changed")
    }
}

extension UpdateApp: CommandUseCase {
    static let form = CommandForm(
        options: [
            "addedIntegrationKey": "add-integration-key",
            "retiredIntegrationKey": "retire-integration-key", "categories": "category",
            "removedVariables": "remove-variable", "removedSounds": "remove-sound",
            "removedCategories": "remove-category",
            "removedParameters": "remove-parameter", "removesIcon": "remove-icon",
        ], without: ["credential", "icon"])
    static func lines(_ change: AppChange) -> [String] { change.apps.map { "app \($0.name) updated" } }
    static func conclude(_ change: AppChange) { change.announce() }
}
