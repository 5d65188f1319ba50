internal import ArgumentParser
internal import PushConfig
internal import PushConnectors
internal import PushMaster
internal import PushModel
internal import PushStore

struct AppTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Connect to the gateway with the application's credential and say what it answered.",
        discussion: """
            Nothing reaches any device: the push goes to a token that none has, and FCM is only asked to check it. \
            The old binary gateway may say nothing, which is its yes. \
            Exit status 1 where the gateway cannot be reached or refuses the credential.
            """)

    @Argument(help: "The application's name.")
    var name: String

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let app = try store.catalogue.requireApp(named: name)
        let credential = try store.credentials(key: try store.instanceKey()).credential(of: app.id)
        let gateways = try GatewaySettings(instance.settings)
        var settings = app.settings
        if instance.settings.mta.verifyMode { settings.connector = .stub }
        let result = ConnectionTest.run(
            settings: settings, credential: credential, gateway: gateways.gateway(of: settings.connector))
        try StandardOutput.lines(result.lines)
        if !result.succeeded { throw Ending.failed }
    }
}
