internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushModel
internal import PushWire

struct Send: PerformingCommand {
    static let useCases: [any UseCase.Type] = [SendMessages.self, ShowMessage.self]
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send one message to one recipient and print its id.",
        discussion: """
            When the id is printed, the message is on disk and will be sent; a running master sends it \
            immediately. If a user key has several devices, each device receives a message, and a line is \
            printed for each. The status is 3 if no subscriber matches the recipient, or if no gateway would \
            accept the content.

            All messages that are sent for a service on one day (UTC) with the same priority form one \
            delivery: 'delivery list' shows it, and all commands for deliveries apply to it.

            Example: pushmta send --app shop-ios --user-key anna --title "Your order is on its way"

            Example: pushmta send --app shop-ios --user-key anna --template order --variable number=77
            """)

    @Option(
        help: ArgumentHelp("The application to send with.", valueName: "name"), completion: .appNames)
    var app: String?

    @Option(
        help: ArgumentHelp(
            "The service to send with: all of its applications in production.", valueName: "name"),
        completion: .serviceNames)
    var service: String?

    @Option(help: ArgumentHelp("The device with this registration token.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("All devices with this user key.", valueName: "key"))
    var userKey: String?

    @Option(help: "The title.")
    var title: String?

    @Option(help: "The text.")
    var body: String?

    @Option(
        help: ArgumentHelp(
            "The content, as in a delivery document; - is standard input.",
            discussion: "Replaces --title and --body.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var content: String?

    @Option(
        help: ArgumentHelp(
            "Use the newest version of this template of the service.",
            discussion: "Values that you also give in other options override the "
                + "template.", valueName: "name"),
        completion: .templateNames)
    var template: String?

    @Option(
        name: .customLong("variable"),
        help: ArgumentHelp(
            "The value of a placeholder such as {{code}}, or of an application variable.",
            discussion: """
                May be repeated. If a placeholder has neither a value nor a default, the message is refused, \
                and the status is 3. A value takes precedence over the subscriber's parameter of that name.
                """, valueName: "name=value"))
    var variables: [String] = []

    @Option(
        help: ArgumentHelp(
            "Send the messages in this file, in the format of POST /messages; - is standard input.",
            discussion: """
                The file contains a JSON message, or an array of up to 1 000 messages. Each message has its \
                own app, recipient and content, which replace the other options. Messages that are not \
                accepted are listed on standard error, and the status is 3; all other messages are sent.
                """, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var messages: String?

    @Option(
        help: ArgumentHelp(
            "How long to try to send the message.",
            discussion: "A number followed by s, m, h or d. 0 means a single attempt. Default: 5d.",
            valueName: "duration"))
    var validity: String?

    @Option(
        name: [.customLong("send-at"), .customLong("start-at")],
        help: ArgumentHelp(
            "Send the message at this time, such as 2026-11-21T10:00:00Z or 2026-11-21T12:00:00+02:00.",
            discussion: """
                At most 366 days ahead. The validity begins at that time. Until then, the message is \
                scheduled, and 'message cancel' can cancel it.
                """, valueName: "time"))
    var sendAt: String?

    @Option(
        help: ArgumentHelp(
            "The priority, from veryLow to veryHigh.",
            discussion: "Default: high, which overtakes deliveries.",
            valueName: "priority"))
    var priority: String?

    @Option(
        help: ArgumentHelp(
            "Send the message only once, however often the command runs within a day.",
            discussion: "The same key with a different message is refused.", valueName: "key"))
    var idempotencyKey: String?

    @Flag(
        help: ArgumentHelp(
            "Wait for the result: status 0 if the message was sent, 1 if it was not.",
            discussion:
                "If you interrupt the wait, the message is still sent. The status is also 1 if no master has "
                + "been running for a minute; the message is then sent when a master runs."))
    var wait = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        if messages != nil {
            let others = [
                app, service, token, userKey, title, body, content, template, validity, sendAt, priority,
            ]
            guard others.allSatisfy({ $0 == nil }), variables.isEmpty else {
                throw ValidationError(
                    "--messages takes everything from the file: leave out the other options.")
            }
            return
        }
        guard (app == nil) != (service == nil) else {
            throw ValidationError("Give either --app or --service.")
        }
        guard (token == nil) != (userKey == nil) else {
            throw ValidationError("Give either --token or --user-key.")
        }
        _ = try variablesValue()
        guard content == nil || title == nil && body == nil else {
            throw ValidationError("Give either --content, or --title and --body.")
        }
        guard content != nil || title != nil || body != nil || template != nil else {
            throw ValidationError("Give --title, --body, --content or --template: there is nothing to send.")
        }
    }

    func run() throws {
        let operations = try Operations(config)
        let document = try document()
        let sent: SentMessages
        do throws(OperationError) {
            sent = try operations.carryOut(
                SendMessages(
                    document: document, caller: "command",
                    idempotencyKey: messages == nil ? nil : idempotencyKey))
        } catch {
            throw error.kind == .noMatch ? CommandFailure.refused(lines: error.lines) : error
        }
        guard !sent.messages.isEmpty else {
            throw CommandFailure.failed("the result is unknown; look at 'pushmta delivery list'")
        }
        sent.announce()
        let devices = sent.messages.flatMap(\.devices)
        let hasFault = sent.messages.contains { $0.fault != nil }
        guard wait, !devices.isEmpty else {
            if json.isWanted {
                try StandardOutput.json(sent)
            } else {
                try StandardOutput.lines(devices.map(\.line))
            }
            if sent.messages.contains(where: { !$0.isRepeated && !$0.devices.isEmpty }) {
                operations.reportAbsentMaster()
            }
            if hasFault { throw CommandExit.refused }
            return
        }
        let ended = try MessageWait(operations).end(of: devices.map(\.id))
        if json.isWanted {
            try StandardOutput.json(ended)
        } else {
            try StandardOutput.lines(ended.map(\.summary))
        }
        if hasFault { throw CommandExit.refused }
        if !ended.allSatisfy({ $0.state == MessageState.sent.name }) { throw CommandExit.failed }
    }

    private func document() throws -> [UInt8] {
        if let messages {
            return try FileReader.contents(of: messages, atMost: MessageDocument.maximumBytes)
        }
        let hasContent = content != nil || title != nil || body != nil
        let document: JSONValue = [
            "app": text(app), "service": text(service), "template": text(template), "token": text(token),
            "userKey": text(userKey), "priority": text(priority), "validity": text(validity),
            "sendAt": text(sendAt), "variables": variables.isEmpty ? nil : try variablesValue(),
            "idempotencyKey": text(idempotencyKey), "content": hasContent ? try contentValue() : nil,
        ]
        var bytes: [UInt8] = []
        document.append(to: &bytes)
        return bytes
    }

    /// - Throws: An error that does not contain the values, which may be personal.
    private func variablesValue() throws -> JSONValue {
        var members: [JSONMember] = []
        for variable in variables {
            let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("--variable takes name=value, such as --variable code=1234.")
            }
            let name = String(parts[0])
            guard !members.contains(where: { $0.key == name }) else {
                throw ValidationError("--variable \(name.printable(atMost: 64)) is given more than once.")
            }
            members.append(JSONMember(key: name, value: .string(String(parts[1]))))
        }
        return .object(members)
    }

    private func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }

    private func contentValue() throws -> JSONValue {
        guard let content else { return ["title": text(title), "body": text(body)] }
        let bytes = try FileReader.contents(of: content, atMost: MessageDocument.maximumBytes)
        let name = content == "-" ? "standard input" : content
        do { return try JSONParser.parse(bytes) } catch {
            throw CommandFailure.refused("\(name): not JSON: \(error.description)")
        }
    }
}

extension SentMessages {
    /// Reports the messages that were not accepted, and probable mistakes. If there are several messages,
    /// each message is identified by its position.
    fileprivate func announce() {
        for message in messages {
            let place = isList ? "message \(message.index): " : ""
            for reason in message.reasons {
                StandardError.complain(place + reason.printable(atMost: CommandFailure.maxLineLength))
            }
            StandardError.warn(of: message.warnings.map { place + $0 })
        }
    }
}

extension SentMessage.Device {
    var line: String { reason.map { "\(id) \(state): \($0)" } ?? id }
}

/// Watches messages until they end.
struct MessageWait {
    private let operations: Operations
    private static let pollMicroseconds: UInt32 = 20_000

    init(_ operations: Operations) { self.operations = operations }

    func end(of ids: [String]) throws -> [MessageView] {
        let interruption = Interruption(SIGINT)
        var masters = MasterWatch(operations)
        let rest =
            ids.count == 1
            ? "'pushmta message show \(ids[0])' shows when the message is sent"
            : "'pushmta message list' shows when the messages are sent"
        while true {
            let messages = try ids.map { try operations.carryOut(ShowMessage(id: $0)) }
            if messages.allSatisfy(\.isFinal) { return messages }
            if interruption.isPending {
                StandardError.line("sending continues; 'pushmta message show' shows the progress")
                interruption.obey()
            }
            if let line = try masters.look(rest) { StandardError.line(line) }
            usleep(Self.pollMicroseconds)
        }
    }
}
