internal import ArgumentParser
internal import GatewayKit
internal import PushAPI
internal import PushModel

struct AppUpdate: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change an application; what is not named stays as it is.",
        discussion: """
            The platform cannot be changed, nor the environment once the app has subscribers: tokens belong to them, so \
            that would be another app. Connector and credential apply to deliveries in progress as well: messages in \
            flight finish through the old connector, and all others, retries included, go through the new one. \
            Subscribers, their states and the quarantine stay as they are. A new credential is checked as 'app create' \
            does. Bundle id, variables and message ids apply to deliveries that are submitted from now on, unless \
            --live-deliveries is given. A connector is refused while a delivery is in progress whose content it cannot send. \
            With stub the app keeps its credential.

            For example, from APNs' binary protocol to HTTP/2:

              pushmta app update shop-ios --connector iosHTTP2 --p8 AuthKey_ABC1234567.p8 --key-id ABC1234567 \
            --team-id DEF1234567
            """)

    @OptionGroup var members: MemberArguments<UpdateApp>
    @OptionGroup(title: "Credential") var credential: CredentialOptions
    @OptionGroup var icon: IconOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard icon.icon == nil || !members.isGiven("removesIcon") else {
            throw ValidationError("Give one of --icon and --remove-icon.")
        }
    }

    func run() throws {
        let others = ["credential": try credential.file()?.json, "icon": try icon.image()?.json]
        try members.request(with: others).run(by: Operations(config), json)
    }
}

extension UpdateApp: Commanded {
    static let form = CommandForm(
        options: [
            "removedVariables": "remove-variable", "removedSounds": "remove-sound",
            "removedParameters": "remove-parameter", "removesIcon": "remove-icon",
        ], without: ["credential", "icon"])
    static func lines(_ change: AppChange) -> [String] { ["app \(change.app.name) updated"] }
    static func conclude(_ change: AppChange) { change.announce() }
}
