package import PushModel
internal import PushWire

/// A receiver's answer to one batch: an outcome for each message, in the order of the batch.
///
/// **Promises.** There are as many outcomes as messages. A message is undecided if the answer has no verdict
/// or two verdicts for it.
package struct CustomReply: Equatable, Sendable {
    package let outcomes: [Outcome]
    /// The problem that the answer reports for the account; `nil` if there is none. If the status reports the
    /// problem, the problem is also the outcome of each message.
    package let accountFailure: Outcome?
    /// Whether the receiver refuses the batch as a whole, because at least one of its messages or the address
    /// is at fault.
    package let refusesBatch: Bool
    /// The number of seconds to wait before the next request, if the receiver requests a pause.
    package let pauseSeconds: Int32?

    /// - Parameters:
    ///   - body: The body, which may be incomplete.
    ///   - ids: The ids of the batch.
    ///   - retryAfter: The value of the header field.
    package init(
        status: Int, body: [UInt8], ids: [OpaqueID], retryAfter: String? = nil, now: WallTime
    ) {
        guard status == 200 else {
            let row = CustomReasons.row(ofStatus: status)
            let wait = retryAfter.flatMap { RetryAfter($0, now: now) }?.seconds(from: now)
            let verdict = row.verdict.obeying(retryAfter: wait, least: 1)
            let reason = ReasonText.reason(row.word, "status \(status)")
            let outcome =
                row == CustomReasons.unclear
                ? Outcome.undecided(verdict, reason: reason) : .rejected(verdict, reason: reason)
            outcomes = Array(repeating: outcome, count: ids.count)
            accountFailure = row.verdict.scope == .account ? outcome : nil
            refusesBatch = row == CustomReasons.batchRefused
            pauseSeconds = row == CustomReasons.notTaken ? wait : nil
            return
        }
        var found = [Outcome?](repeating: nil, count: ids.count)
        var next = 0
        for element in Self.verdicts(of: body) {
            guard case .string(let text)? = element["id"], let id = OpaqueID(text: text),
                let place = Self.place(of: id, in: ids, from: next)
            else { continue }
            next = place + 1
            found[place] =
                found[place] == nil ? Self.outcome(element) : Self.unclear("duplicate verdict")
        }
        outcomes = found.map { $0 ?? Self.unclear("missing verdict") }
        accountFailure = outcomes.first {
            if case .rejected(let verdict, _) = $0 { verdict.scope == .account } else { false }
        }
        (refusesBatch, pauseSeconds) = (false, nil)
    }

    /// Returns the outcome for each message of a request that was not sent.
    package static func outcome(neverSent detail: String?) -> Outcome {
        let row = CustomReasons.connectFailed
        return .neverSent(row.verdict, reason: ReasonText.reason(row.word, detail))
    }

    /// Returns the outcome for each message of a request without an answer.
    package static func outcome(undecided detail: String) -> Outcome {
        let row = CustomReasons.noAnswer
        return .undecided(row.verdict, reason: ReasonText.reason(row.word, detail))
    }

    private static func verdicts(of body: [UInt8]) -> [JSONValue] {
        guard case .array(let elements)? = (try? JSONParser.parse(body))?["verdicts"] else { return [] }
        return elements
    }

    /// Most receivers answer in the order of the messages, so the next id is compared first.
    private static func place(of id: OpaqueID, in ids: [OpaqueID], from next: Int) -> Int? {
        next < ids.count && ids[next] == id ? next : ids.firstIndex(of: id)
    }

    private static func outcome(_ element: JSONValue) -> Outcome {
        guard case .string(let word)? = element["verdict"] else {
            return unclear("a verdict is not a string")
        }
        if word == CustomReasons.accepted { return .accepted(providerID: nil) }
        guard let row = CustomReasons.verdicts.first(where: { $0.word == word }) else {
            return unclear("unknown verdict")
        }
        var (seconds, detail): (Int32?, String?)
        if case .integer(let number)? = element["seconds"] { seconds = Int32(clamping: number) }
        if case .string(let text)? = element["reason"] { detail = text }
        return .rejected(
            row.verdict.obeying(retryAfter: seconds, least: 1), reason: ReasonText.reason(word, detail))
    }

    private static func unclear(_ detail: String) -> Outcome {
        let row = CustomReasons.unclear
        return .undecided(row.verdict, reason: ReasonText.reason(row.word, detail))
    }
}
