internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct TokenList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the tokens, those that were revoked last.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let tokens = try Operations(config).carryOut(ListAccessTokens())
        guard !json.isWanted else { return try StandardOutput.json(tokens) }
        var table = TextTable(["NAME", "SCOPES", "CREATED", "REVOKED"])
        for token in tokens {
            table.append([
                token.name, token.scopes.map(\.rawValue).joined(separator: " "), token.created.utcText,
                token.revoked?.utcText ?? "",
            ])
        }
        try StandardOutput.lines(table.lines)
    }
}
