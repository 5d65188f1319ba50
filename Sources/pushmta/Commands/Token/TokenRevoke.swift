internal import ArgumentParser
internal import PushOperations

struct TokenRevoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Make a token good for nothing, from now on.",
        discussion: "A running service takes at most some seconds to notice. The name may be given again.")

    @Argument(help: "The token's name.")
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let revoked = try Operations(config).carryOut(
            RevokeAccessToken(name: name))
        try StandardOutput.answer(revoked, json, "token \(revoked.name) revoked")
    }
}
