internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct MessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "See what became of a message that was sent by itself.",
        subcommands: [command(ShowMessage.self)])
}

extension ShowMessage: Commanded {
    static let form = CommandForm(
        discussion: """
            The id is the one that 'send' printed; the log of a delivery has it too, where its apps' ids are UUIDs.
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
        if let dueAt { fields.append(("next attempt", dueAt.utcText)) }
        fields.append(("valid until", expiresAt.utcText))
        return fields
    }

    /// In one line, for whoever waited.
    var summary: String {
        let why = [failureReason, providerReason].compactMap(\.self).joined(separator: ": ")
        return why.isEmpty ? "\(id) \(state)" : "\(id) \(state): \(why)"
    }
}
