internal import ArgumentParser
internal import PushModel
internal import PushOperations
internal import PushWire

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Tokens that callers of the HTTP API show.",
        discussion: """
            A token is shown once, when it is created: the store keeps its digest alone. Scopes: 'read' asks, 'send' \
            submits and steers deliveries and messages, 'admin' changes everything else; none includes another.
            """,
        subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}

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

struct Audit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show who changed what, the newest first.",
        discussion: """
            A line for each change over the API or by a command, with the token's name or the command's user. It is in \
            the same transaction as the change. Single messages have no line. A line is kept for 400 days.
            """)

    @Option(help: ArgumentHelp("Maximum number of lines.", valueName: "count"))
    var limit = 100

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard ReadAudit.limits.contains(limit) else {
            throw ValidationError("--limit takes 1 to \(ReadAudit.limits.upperBound).")
        }
    }

    func run() throws {
        let page = try Operations(config).carryOut(ReadAudit(limit: limit))
        guard !json.isWanted else {
            return try StandardOutput.json(
                [
                    "lines": page.items.json ?? .null, "next": page.cursor.json ?? .null,
                ] as JSONValue)
        }
        var table = TextTable(["AT", "WHO", "ACTION", "WHAT"])
        for line in page.items { table.append([line.at.utcText, line.who, line.action, line.what]) }
        try StandardOutput.lines(table.lines)
    }
}
