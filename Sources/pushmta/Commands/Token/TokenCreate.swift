internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct TokenCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a token and show it, this once.")

    @Argument(help: "What it is called, in 'token list' and in the audit trail.")
    var name: ObjectName

    @Option(help: "What its bearer may do; may be repeated.")
    var scope: [AccessScope]

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let order = CreateAccessToken(name: name.text, scopes: scope)
        let created = try Operations(config).carryOut(order)
        try StandardOutput.answer(created, json, created.token)
    }
}

extension AccessScope: ExpressibleByArgument {}
