internal import PushModel
internal import PushQueue

/// The recipients of single messages. On an engine that is reached over a network, all recipients of one kind
/// are queried together. Operates within the caller's transaction.
struct MessageRecipients {
    struct Device {
        var addressee: NewMessage.Addressee
        var subscription: SubscriptionID
        var exclusion: AcceptedMessage.Exclusion?
        /// The subscriber's parameters, as the store keeps them; empty if they are not needed.
        var parameters: [UInt8] = []
        /// The values of the message's placeholders, as a JSON object; empty if there are none.
        var values: [UInt8] = []
    }

    let db: any Session

    private struct Question {
        var message: Int
        var addressee: NewMessage.Addressee
        var text: String
    }

    /// Returns the devices for each message, in the order of the messages: at most
    /// ``MessageUnit/maxDevices`` for each app.
    func devices(of messages: [NewMessage]) throws -> [[Device]] {
        var tokens: [Question] = []
        var userKeys: [Question] = []
        for (index, message) in messages.enumerated() {
            for addressee in message.apps {
                switch message.recipient {
                case .token(let text):
                    tokens.append(Question(message: index, addressee: addressee, text: text))
                case .userKey(let text):
                    userKeys.append(Question(message: index, addressee: addressee, text: text))
                }
            }
        }
        var devices: [[Device]] = Array(repeating: [], count: messages.count)
        let reads = messages.contains { $0.filling?.readsParameters == true }
        try ask(tokens, byToken: true, withParameters: reads, &devices)
        try ask(userKeys, byToken: false, withParameters: reads, &devices)
        return devices
    }

    private func ask(
        _ questions: [Question], byToken: Bool, withParameters reads: Bool, _ devices: inout [[Device]]
    ) throws {
        guard !questions.isEmpty else { return }
        let batch =
            byToken
            ? try Batch(db, one: HotSQL.messageToken(reads), many: HotSQL.messageTokens(reads))
            : try Batch(db, one: HotSQL.messageUserKey(reads), many: HotSQL.messageUserKeys(reads))
        if !byToken { batch.bind(Int64(MessageUnit.maxDevices), at: 3) }
        try batch.rows(of: questions) { question, parameters in
            parameters.bind(question.addressee.app.rawValue, at: 1)
            if byToken {
                parameters.bind(token: question.text, at: 2)
            } else {
                parameters.bind(question.text, at: 2)
            }
        } row: { question, row, column in
            Self.add(
                question, row.integer(column), row.integer(column + 1),
                parameters: reads ? unsafe Array(row.bytes(column + 2)) : [], &devices)
        }
    }

    private static func add(
        _ question: Question, _ subscription: Int64, _ disabled: Int64, parameters: [UInt8],
        _ devices: inout [[Device]]
    ) {
        let exclusion: AcceptedMessage.Exclusion? =
            switch disabled {
            case StateCode.valid: nil
            case StateCode.quarantined: .quarantined
            case StateCode.optedOut: .optedOut
            default: .disabled
            }
        devices[question.message].append(
            Device(
                addressee: question.addressee, subscription: SubscriptionID(rawValue: subscription),
                exclusion: exclusion, parameters: parameters))
    }

    /// Returns the initial states of the devices' messages, as runs.
    static func stretches(
        _ devices: [Device], at now: WallTime
    ) -> ContiguousArray<(status: MessageStatus, count: Int)> {
        var stretches: ContiguousArray<(status: MessageStatus, count: Int)> = []
        for device in devices {
            let cause: CauseCode =
                switch device.exclusion {
                case nil: .none
                case .quarantined?: .quarantined
                case .disabled?: .disabled
                case .optedOut?: .optedOut
                }
            if let last = stretches.last, last.status.cause == cause {
                stretches[stretches.count - 1].count += 1
            } else {
                let state: MessageState = cause == .none ? .pending : .excluded
                stretches.append((MessageStatus(state, isTried: false, cause: cause, since: now), 1))
            }
        }
        return stretches
    }
}
