internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushStore
internal import PushWire

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Manage the tokens that callers of the HTTP API present.",
        discussion: """
            A token is shown once, when it is created; the store keeps only its digest. Scopes: 'read' \
            queries, 'send' submits and controls deliveries and messages, 'people' manages people and their \
            roles, 'admin' changes everything else. No scope includes another.
            """,
        subcommands: [
            command(CreateAccessToken.self), command(ListAccessTokens.self),
            command(RevokeAccessToken.self),
        ])
}

extension CreateAccessToken: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta token create reporting --scope read")
    static func lines(_ created: Answer) -> [String] { [created.token] }
}

extension ListAccessTokens: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta token list")
    static func lines(_ tokens: [AccessTokenView]) -> [String] {
        var table = TextTable(["NAME", "SCOPES", "CREATED", "REVOKED"])
        for token in tokens {
            table.append([
                token.name, token.scopes.map(\.rawValue).joined(separator: " "), token.createdAt.utcText,
                token.revokedAt?.utcText ?? "",
            ])
        }
        return table.lines
    }
}

extension RevokeAccessToken: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            The name can be used again.

            Example: pushmta token revoke reporting
            """)
    static func lines(_ revoked: Answer) -> [String] { ["token \(revoked.name) revoked"] }
}

extension ReadAudit: CommandUseCase {
    static let form = CommandForm(
        name: "audit",
        discussion: """
            The audit trail has a line for each change that was made through the API or by a command, with \
            the token's name or the command's user. The line is written in the same transaction as the \
            change. Backups, restores, and requests to stop or reload the service have a line too, which \
            states the reason if the service refused the request. Messages that are sent one by one have no \
            line. Lines are kept for 400 days.

            Example: pushmta audit --limit 20
            """, without: ["cursor"])
    static func lines(_ page: Answer) -> [String] {
        var table = TextTable(["AT", "WHO", "ACTION", "WHAT"])
        for line in page.items { table.append([line.at.utcText, line.who, line.action, line.what]) }
        return table.lines
    }
}
