internal import PushModel
internal import PushQueue

/// Whom single messages go to. On an engine that is a journey away, all of a kind are asked for at once. Within
/// the caller's transaction.
struct MessageRecipients {
    struct Device {
        var addressee: NewMessage.Addressee
        var subscription: SubscriptionID
        var exclusion: AcceptedMessage.Exclusion?
    }

    let db: any Session

    private struct Question {
        var message: Int
        var addressee: NewMessage.Addressee
        var text: String
    }

    /// In the messages' order; at most ``MessageUnit/mostDevices`` of an app each.
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
        try ask(tokens, byToken: true, &devices)
        try ask(userKeys, byToken: false, &devices)
        return devices
    }

    private func ask(_ questions: [Question], byToken: Bool, _ devices: inout [[Device]]) throws {
        guard !questions.isEmpty else { return }
        if let many = try db.arrayStatement(byToken ? HotSQL.messageTokens : HotSQL.messageUserKeys) {
            defer { many.reset() }
            many.bind(questions.map(\.addressee.app.rawValue), at: 1)
            many.bind(questions.map(\.text), at: 2)
            if !byToken { many.bind(Int64(MessageUnit.mostDevices), at: 3) }
            while try many.next() {
                let place = Int(truncatingIfNeeded: many.integer(0)) - 1
                guard questions.indices.contains(place) else { throw UnreadableValue() }
                Self.add(questions[place], many.integer(1), many.integer(2), &devices)
            }
            return
        }
        let one = try db.statement(byToken ? HotSQL.messageToken : HotSQL.messageUserKey)
        for question in questions {
            defer { one.reset() }
            one.bind(question.addressee.app.rawValue, at: 1)
            if byToken {
                one.bind(token: question.text, at: 2)
            } else {
                one.bind(question.text, at: 2)
                one.bind(Int64(MessageUnit.mostDevices), at: 3)
            }
            while try one.next() { Self.add(question, one.integer(0), one.integer(1), &devices) }
        }
    }

    private static func add(
        _ question: Question, _ subscription: Int64, _ disabled: Int64, _ devices: inout [[Device]]
    ) {
        let exclusion: AcceptedMessage.Exclusion? =
            switch disabled {
            case StateCode.valid: nil
            case StateCode.quarantined: .quarantined
            default: .disabled
            }
        devices[question.message].append(
            Device(
                addressee: question.addressee, subscription: SubscriptionID(rawValue: subscription),
                exclusion: exclusion))
    }

    /// Where their messages stand at first.
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
