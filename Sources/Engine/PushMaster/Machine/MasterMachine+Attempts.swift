internal import PushModel
internal import PushSchedule
internal import PushWire

/// The number of previous attempts at each message of a grant. While there is a delivery log, the numbers are
/// recorded for messages that are tried again, because children report these numbers for failed messages but
/// not for accepted messages.
struct AttemptNotes: Sendable {
    private var ofGrant: [GrantID: [MessageID: UInt8]] = [:]

    mutating func note(_ frame: [UInt8], of grant: GrantID) {
        var decoder = FrameDecoder()
        decoder.feed(frame)
        guard let whole = try? decoder.next(), let frame = try? GrantFrame(whole) else { return }
        var noted: [MessageID: UInt8] = [:]
        var offset = GrantFrame.firstEntry
        for _ in 0..<frame.count {
            let entry = frame.entry(at: offset)
            noted[entry.message] = entry.attempts
            offset = entry.next
        }
        ofGrant[grant] = noted
    }

    mutating func forget(_ grant: GrantID) { if !ofGrant.isEmpty { ofGrant[grant] = nil } }

    /// Returns the number of attempts before the current attempt; `nil` if this number was not recorded.
    func attempts(at message: MessageID, of grant: GrantID) -> Int? { ofGrant[grant]?[message].map(Int.init) }
}

/// The entries for the delivery log.
extension MasterMachine {
    /// Returns the group of attempts at messages that were accepted.
    func attempts(at messages: [MessageID], of grant: GrantID, _ job: JobDefinition) -> AttemptGroup {
        let isFirst = if case .range = ledger.source(of: grant) { true } else { false }
        return group(
            job, job.validatesOnly ? .excluded : .sent, job.validatesOnly ? JobDefinition.validated : "",
            messages: messages,
            attempts: isFirst
                ? [1] : messages.map { attemptNotes.attempts(at: $0, of: grant).map { $0 + 1 } })
    }

    /// - Parameter before: The number of attempts that were counted before this attempt.
    func attempt(_ record: MessageRecord, after before: Int, _ job: JobDefinition) -> AttemptGroup {
        let (outcome, reason): (AttemptGroup.Outcome, String) =
            switch record.change {
            case .sent: (.sent, "")
            case .failed(_, _, let reason): (.failed, reason)
            case .retrying(_, _, _, let reason): (.retrying, reason)
            case .excluded(_, let why): (.excluded, why)
            case .cancelled(_, let why): (.cancelled, why)
            }
        return group(
            job, outcome, reason, messages: [record.message],
            attempts: [before + (record.countsAttempt ? 1 : 0)])
    }

    private func group(
        _ job: JobDefinition, _ outcome: AttemptGroup.Outcome, _ reason: String = "", messages: [MessageID],
        attempts: [Int?]
    ) -> AttemptGroup {
        AttemptGroup(
            delivery: job.order.delivery, app: job.appName, account: accounts[job.order.account]?.name ?? "",
            outcome: outcome, reason: reason, messages: messages, attempts: attempts)
    }
}
