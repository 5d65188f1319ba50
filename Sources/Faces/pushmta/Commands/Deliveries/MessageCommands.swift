internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct MessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "List and show messages of all deliveries, and cancel messages that wait.",
        subcommands: [MessageList.self, command(ShowMessage.self), command(CancelMessage.self)])
}

struct MessageList: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ListMessages.self]
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List messages of all deliveries, newest first.",
        discussion: """
            The list contains messages of deliveries to many subscribers, and messages that were sent one by \
            one (--single lists only these). Messages that retention removed are missing; 'delivery stats' \
            keeps their figures. With --user-key, messages to devices of the person that were removed are \
            listed too, for as long as logs keep the user key. A device that another person used before is \
            listed with all of its messages.

            RECEIVED and CLICKED are the times of the device's first reports. Exit status 1 if there are \
            no messages because the person or the device is unknown.

            Example: pushmta message list --user-key anna
            """)

    @OptionGroup var members: MemberArguments<ListMessages>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let (request, operations) = (try members.request(), try Operations(config))
        let messages = try operations.items(of: request)
        if messages.isEmpty, let who = request.who {
            // An unknown person is more likely a mistake than a person without messages.
            _ = try operations.everySubscriber(who, app: request.app)
        }
        if json.isWanted { return try StandardOutput.json(messages) }
        var table = TextTable(
            ["ID", "DELIVERY", "APP", "USER KEY", "STATE", "SINCE", "RECEIVED", "CLICKED", "WHY"],
            numeric: ["DELIVERY"])
        for message in messages {
            table.append([
                message.id, "\(message.delivery)", message.app, message.userKey, message.state,
                message.updatedAt.utcText, message.receivedAt?.time.utcText ?? "",
                message.clickedAt?.time.utcText ?? "",
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
            The id is one of these: the id that 'send' or 'message list' printed; the apns-id of the request \
            to APNs; the _mId that the device received, together with --delivery; the name that FCM gave to \
            the message, if nmac/fcm/@keepMessageIds is set; or the apns-unique-id of Apple's development \
            gateway, together with --delivery. To find a message without an id, use 'message list'.

            Example: pushmta message show 1203877432 --delivery 17
            """)
    static func lines(_ message: MessageView) -> [String] { FieldList(message.fields).lines }
}

extension MessageView {
    var fields: [(name: String, value: String)] {
        var fields = [
            ("id", id), ("delivery", "\(delivery)"), ("app", app), ("user key", userKey), ("state", state),
            ("attempts", "\(attempts)"), ("since", updatedAt.utcText), ("label", label),
        ]
        if let failureReason {
            fields.append(
                ("failure", [failureType, failureReason].compactMap(\.self).joined(separator: ", ")))
        }
        if let providerReason { fields.append(("gateway said", providerReason)) }
        if let providerId { fields.append(("gateway's id", providerId)) }
        if let messageId, messageId != id { fields.append(("_mId", messageId)) }
        if let receivedAt { fields.append(("received", receivedAt.utcText)) }
        if let clickedAt {
            fields.append(("clicked", "\(clickedAt.utcText), \(Numerals.count(clicks, "click"))"))
        }
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
