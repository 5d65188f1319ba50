internal import PushConfig
internal import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// The state of one ``SendMessages``: messages that are ready, results of messages that were handed in, and
/// messages that must be checked again.
struct MessageSending: Sendable {
    private let values: [JSONValue]
    private let caller: String
    private let isList: Bool
    private let idempotencyKey: String?
    private let operations: Operations
    private let cipher: MessageIDCipher
    private var reading: MessageCache.Reading
    private var sent: [SentMessage?]
    /// The warnings about accepted messages, keyed by the messages' places.
    private var warnings: [Int: [String]] = [:]
    /// The places of messages that were handed in.
    private var out: [Int] = []
    /// The reason for the last refusal of a message before it was handed in.
    private var refusal: OperationError?
    /// The places of messages whose app was changed while they were checked.
    private var again: [Int]
    private var tries = 0
    /// The places of messages with a time of sending, and whether that time is ahead.
    private var scheduled: [Int: Bool] = [:]

    private static let maxTries = 5

    /// - Throws: An error if the document as a whole cannot be read, or if its key is not allowed;
    ///   ``MessageCache/Unread`` if reading is not allowed but necessary.
    init(
        _ order: SendMessages, in operations: Operations, reading: MessageCache.Reading = .allowed
    ) throws {
        self.reading = reading
        try order.checkKey()
        values = try MessageDocument.values(of: order.document)
        caller = order.caller
        isList = order.document.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
        idempotencyKey = order.idempotencyKey
        self.operations = operations
        cipher = try operations.messageCache.cipher(in: operations, reading)
        sent = Array(repeating: nil, count: values.count)
        again = Array(values.indices)
    }

    var count: Int { values.count }

    /// Returns the messages to hand in first, if nothing has to be read for them. Subsequent steps may read.
    /// - Throws: ``MessageCache/Unread``
    mutating func first() throws -> [NewMessage]? {
        let ready = try checked()
        reading = .allowed
        return ready
    }

    /// Returns the messages to hand in next; `nil` if none are left.
    mutating func next() -> [NewMessage]? { try? checked() }

    private mutating func checked() throws -> [NewMessage]? {
        guard !again.isEmpty else { return nil }
        tries += 1
        var ready: [NewMessage] = []
        out = []
        for index in again {
            do {
                let (message, lines) = try checked(values[index], at: index)
                warnings[index] = lines.isEmpty ? nil : lines
                ready.append(message)
                out.append(index)
            } catch let error as MessageCache.Unread {
                throw error
            } catch {
                let error = OperationError(error)
                sent[index] = SentMessage(index: index, refused: error)
                refusal = error
            }
        }
        again = []
        return ready.isEmpty ? nil : ready
    }

    mutating func take(_ results: [MessageResult]) {
        for (index, result) in zip(out, results) {
            switch result {
            case .success(let accepted): sent[index] = view(of: accepted, at: index)
            case .failure(.appChanged) where tries < Self.maxTries: again.append(index)
            case .failure(let refusal): sent[index] = Self.refused(index, refusal)
            }
        }
        if !again.isEmpty { operations.messageCache.forgetServiceApps() }
        // Notifies the master, so that it knows when to look for these messages.
        if !scheduled.isEmpty { operations.engine.wakeUp() }
    }

    /// - Throws: The reason why the only message was not accepted. Each message of an array has its own
    ///   result instead.
    func answer() throws(OperationError) -> SentMessages {
        let sent = sent.compactMap(\.self)
        if !isList, let message = sent.first, let fault = message.fault {
            throw refusal?.with(fault.kind) ?? OperationError(fault.kind, lines: message.reasons)
        }
        return SentMessages(sent, isList: isList)
    }

    // MARK: One message

    private mutating func checked(
        _ value: JSONValue, at index: Int
    ) throws -> (message: NewMessage, warnings: [String]) {
        let messageCache = operations.messageCache
        let filled = try filled(value)
        let variables = MessageVariables(of: filled)
        let (document, content) = try MessageDocument.read(
            try completed(filled, variables)
        ) { value throws(WireError) in try messageCache.content(value) }
        let scope = try messageCache.serviceApps(document.scope, in: operations, reading)
        // A template is written for messages that give different values, so a name that no app declares may
        // still be correct.
        let given = variables.names + (filled["template"] == nil ? [] : content.optionalNames)
        let checked = try check(content, for: scope, besides: given)
        let warnings = checked.flatMap(\.warnings) + (variables.warning(checked).map { [$0] } ?? [])
        let recipient: NewMessage.Recipient =
            switch document.recipient {
            case .token(let token):
                .token(scope.hasHexTokens ? DeviceToken.spelledInHex(token) : token)
            case .userKey(let key): .userKey(key)
            }
        var message = NewMessage(
            service: scope.service, apps: scope.apps.map { NewMessage.Addressee($0) }, recipient: recipient,
            content: content.stored)
        message.priority = document.priority
        message.start = document.start
        message.filling = MessageVariables.filling(document.variables, checked, for: scope.apps)
        scheduled[index] = document.start.map { $0 > operations.clock.moment().time }
        message.validitySeconds = document.validitySeconds ?? message.validitySeconds
        if let key = try key(of: document, at: index) {
            var (body, written): ([UInt8], [UInt8]) = ([], [])
            value.canonical.append(to: &body)
            // The form that earlier versions stored, in which the order of members and the spelling of
            // numbers mattered.
            value.append(to: &written)
            message.idempotency = IdempotencyKey(scope: caller, key: key, body: body, earlierForm: written)
        }
        return (message, content.warnings + warnings)
    }

    /// Returns the message, completed with the application variables that it gives in `variables`.
    private func completed(_ value: JSONValue, _ variables: MessageVariables) throws -> JSONValue {
        guard !variables.names.isEmpty, let scope = MessageDocument.scope(of: value) else { return value }
        let apps = try operations.messageCache.serviceApps(scope, in: operations, reading).apps
        return variables.completed(value, for: apps)
    }

    /// Returns the message, completed with the members of its template if it names one.
    private func filled(_ value: JSONValue) throws -> JSONValue {
        guard let reference = TemplateReference(in: value), let scope = MessageDocument.scope(of: value)
        else { return value }
        let service = try operations.messageCache.serviceApps(scope, in: operations, reading).service
        let template = try operations.messageCache.template(reference, of: service, in: operations, reading)
        return TemplateMerge.message(value, over: template.value, template.version)
    }

    private func key(of document: MessageDocument, at index: Int) throws(OperationError) -> String? {
        guard let idempotencyKey else { return document.idempotencyKey }
        guard document.idempotencyKey == nil else {
            throw .refused(
                "idempotencyKey: the request already has a key for all of its messages; omit one of the keys")
        }
        return values.count == 1 ? idempotencyKey : "\(idempotencyKey) #\(index)"
    }

    /// - Parameter given: Names that no app needs to declare, because the message may have values for them.
    /// - Returns: The result for each app.
    private func check(
        _ content: MessageCache.KnownContent, for scope: MessageCache.ServiceApps, besides given: [String]
    ) throws -> [MessageCache.Checked] {
        // Rules that depend on all apps of the service together are checked each time, because this is cheap.
        if let mismatch = PayloadCheck.mismatch(of: content.content, for: scope.apps) {
            throw OperationError.refused(mismatch)
        }
        let known = operations.messageCache.checked(content, for: scope.apps, variables: given)
        if let known { return known }
        if let names = PayloadCheck.strangeVariables(of: content.content, for: scope.apps) {
            throw OperationError.refused(
                """
                content.variables: no app of the message declares \(names); remove it, or declare it as \
                a variable of the app
                """
            )
        }
        let others = RecipientVariables(names: given)
        if let names = PersonalCheck.strangeNames(of: content.content, for: scope.apps, besides: others) {
            throw OperationError.refused(
                "content: no app of the message declares a parameter \(names), which the content uses with "
                    + "{{; correct the name, give its value in variables, or declare it as a parameter of "
                    + "the app")
        }
        let needs = try scope.apps.map { app in
            let needs: NeededValues
            do throws(PayloadError) {
                let template = try PayloadCheck.template(
                    of: content.content, tracking: true, for: app, operations.settings.nmac)
                needs = NeededValues(template)
            } catch {
                throw OperationError.refused(
                    "content: app \(app.name): \(PayloadCheck.text(of: error, for: app))")
            }
            if let lack = PayloadCheck.lackOfText(of: content.content, for: app) {
                throw OperationError.refused(lack)
            }
            return needs
        }
        return try zip(scope.apps, needs).map { app, needs in
            var warnings = PayloadCheck.warnings(of: content.content, for: app)
            let own = try PersonalCheck.warning(ofMessage: content.content, for: app, besides: given)
            if let own { warnings.append(own) }
            let result = MessageCache.Checked(warnings: warnings, needs: needs.names.isEmpty ? nil : needs)
            operations.messageCache.noteChecked(content, for: app, variables: given, result)
            return result
        }
    }

    private func view(of accepted: AcceptedMessage, at index: Int) -> SentMessage {
        // When a request is repeated, the time may have passed; the answer is that of the first request.
        let isScheduled = scheduled[index].map { $0 || accepted.isRepeated } ?? false
        let waiting: MessageViewState = isScheduled ? .scheduled : .pending
        let devices = accepted.devices.map { device in
            SentMessage.Device(
                id: cipher.opaqueID(of: device.message, in: accepted.delivery).text,
                state: (device.exclusion == nil ? waiting : .excluded).rawValue,
                reason: device.exclusion.map(Self.reason))
        }
        return SentMessage(
            index: index, delivery: accepted.delivery, devices: devices, isRepeated: accepted.isRepeated,
            warnings: warnings[index] ?? [])
    }

    private static func reason(_ exclusion: AcceptedMessage.Exclusion) -> String {
        switch exclusion {
        case .quarantined: "in quarantine"
        case .disabled: "disabled"
        case .optedOut: "opted out"
        }
    }

    private static func refused(_ index: Int, _ refusal: MessageRefusal) -> SentMessage {
        let (fault, reason): (SentMessage.Fault, String) =
            switch refusal {
            case .nobody: (.noMatch, "no such recipient: no subscriber of the app has this token or user key")
            case .keyReused:
                (
                    .conflict,
                    "idempotencyKey: the key was used for another message within a day; use another key"
                )
            case .appChanged: (.busy, "the app was changed in the meantime; try again")
            case .busy: (.busy, "too many messages are waiting to be written; try again in a moment")
            case .ended: (.busy, "the engine is stopping; try again in a moment")
            case .unknown:
                (
                    .unknown,
                    """
                    it is unknown whether the message was accepted; it can be sent again with an \
                    idempotencyKey
                    """
                )
            case .failed(let error): (.failed, "\(error)")
            case .past(let start, let now):
                (
                    .refused,
                    "sendAt: \(start.utcText) has passed (it is \(now.utcText)); omit sendAt to send the "
                        + "message at once"
                )
            case .tooFarAhead(let start, let latest):
                (
                    .refused,
                    "sendAt: \(start.utcText) is more than \(NewMessage.maxDaysAhead) days ahead; the latest "
                        + "time is \(latest.utcText)"
                )
            case .missing(let names, let devices, let all):
                (.refused, MessageVariables.lack(of: names, for: devices, of: all))
            }
        return SentMessage(index: index, fault: fault, reasons: [reason])
    }
}
