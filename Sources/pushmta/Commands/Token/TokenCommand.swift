internal import ArgumentParser

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Tokens that callers of the HTTP API show.",
        discussion: """
            A token is shown once, when it is created: the store keeps its digest alone. Scopes: 'read' asks, 'send' \
            submits and steers deliveries and messages, 'admin' changes everything else; none includes another.
            """,
        subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}
