internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct MessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "List, show and cancel messages that were sent one by one.",
        subcommands: [MessageList.self, command(ShowMessage.self), command(CancelMessage.self)])
}

struct MessageList: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ListMessages.self]
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List messages that were sent one by one, newest first.",
        discussion: """
            The messages of a delivery are in its log: 'delivery log'.

            Example: pushmta message list --app shop-ios --state scheduled
            """)

    @OptionGroup var members: MemberArguments<ListMessages>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let messages = try Operations(config).items(of: try members.request())
        if json.isWanted { return try StandardOutput.json(messages) }
        var table = TextTable(["ID", "APP", "USER KEY", "STATE", "SINCE", "WHY"])
        for message in messages {
            table.append([
                message.id, message.app, message.userKey, message.state, message.updatedAt.utcText,
                message.sendAt.map { "sent at \($0.utcText)" } ?? message.why,
            ])
        }
        try StandardOutput.lines(table.lines)
    }
}

extension ListMessages: CommandUseCase {
    static let form = CommandForm(without: ["cursor"])
}

extension CancelMessage: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            Use it for a scheduled message ('send --send-at'), or for one that waits. If the status is 0, no \
            request for the message begins after the command. A message that is being \
            sent, or has ended in another way, stays unchanged, and the status is 3. A message that was \
            cancelled before stays cancelled.

            Example: pushmta message cancel f5e4d3c2-b1a0-8f9e-8d7c-6b5a49382716
            """)
    static func lines(_ message: CancelledMessage) -> [String] {
        ["message \(message.id) is cancelled\(message.changed ? "" : " already")"]
    }
}

extension ShowMessage: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            The id is the one that 'send' printed. The log of a delivery also contains it if the message ids \
            of its apps are UUIDs.

            Example: pushmta message show f5e4d3c2-b1a0-8f9e-8d7c-6b5a49382716
            """)
    static func lines(_ message: MessageView) -> [String] { FieldList(message.fields).lines }
}

extension MessageView {
    var fields: [(name: String, value: String)] {
        var fields = [
            ("id", id), ("delivery", "\(delivery)"), ("app", app), ("user key", userKey), ("state", state),
            ("attempts", "\(attempts)"), ("since", updatedAt.utcText),
        ]
        if let failureReason {
            fields.append(
                ("failure", [failureType, failureReason].compactMap(\.self).joined(separator: ", ")))
        }
        if let providerReason { fields.append(("gateway said", providerReason)) }
        if let providerId { fields.append(("gateway's id", providerId)) }
        if let sendAt { fields.append(("sent at", sendAt.utcText)) }
        if let dueAt { fields.append(("next attempt", dueAt.utcText)) }
        fields.append(("valid until", expiresAt.utcText))
        return fields
    }

    var why: String { [failureReason, providerReason].compactMap(\.self).joined(separator: ": ") }

    /// A one-line summary for the user who waited.
    var summary: String {
        why.isEmpty ? "\(id) \(state)" : "\(id) \(state): \(why)"
    }
}
