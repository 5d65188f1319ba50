internal import ArgumentParser
internal import PushOperations

struct AppTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Connect to the gateway with the application's credential and say what it answered.",
        discussion: """
            Nothing reaches any device: the push goes to a token that none has, and FCM is only asked to check it. \
            The old binary gateway may say nothing, which is its yes. \
            Exit status 1 where the gateway cannot be reached or refuses the credential.
            """)

    @Argument(help: "The application's name.", completion: .appNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let result = try Operations(config).carryOut(TestApp(name: name))
        try StandardOutput.answer(result, json, result.lines.joined(separator: "\n"))
        if !result.succeeded { throw Ending.failed }
    }
}
