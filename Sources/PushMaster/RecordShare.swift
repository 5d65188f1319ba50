internal import PushModel
internal import PushStore

/// What of the waiting jobs one transaction records.
struct RecordShare {
    /// What several jobs say of one delivery is one batch.
    var batches: [DeliveryID: OutcomeBatch] = [:]
    var wholeJobs = 0
    /// Of the job after them.
    var begunBatches = 0
    private var rows = 0

    mutating func fill(from jobs: [StoreWriter.RecordJob]) {
        for job in jobs {
            for batch in job.batches {
                guard add(batch) else { return }
                begunBatches += 1
            }
            wholeJobs += 1
            begunBatches = 0
        }
    }

    /// - Returns: false where the batch does not fit any more.
    private mutating func add(_ batch: OutcomeBatch) -> Bool {
        let isFirst = batches[batch.delivery] == nil
        let more = isFirst ? OutcomeWriter.rows(of: batch) : OutcomeWriter.rows(addedBy: batch)
        guard rows == 0 || rows + more <= OutcomeWriter.maximumRows else { return false }
        rows += more
        batches[batch.delivery, default: OutcomeBatch(delivery: batch.delivery)].append(batch)
        return true
    }
}

extension OutcomeBatch {
    fileprivate mutating func append(_ other: OutcomeBatch) {
        accepted.append(contentsOf: other.accepted)
        others.append(contentsOf: other.others)
        for answers in other.answers { count(answers) }
    }
}

extension OutcomeBatch {
    /// What one transaction takes with room to spare: an outcome touches its message's row, and may hold a verdict.
    private static let mostOutcomes = OutcomeWriter.maximumRows / 2 - 50

    /// The batch in parts that can be recorded each. What is said of accounts goes with the last of them: they are judged
    /// when all that they answered is there.
    var inRecordableParts: [OutcomeBatch] {
        guard OutcomeWriter.rows(of: self) > OutcomeWriter.maximumRows else { return [self] }
        var parts: [OutcomeBatch] = []
        for start in stride(from: 0, to: accepted.count, by: Self.mostOutcomes) {
            var part = OutcomeBatch(delivery: delivery)
            part.accepted = Array(accepted[start..<min(start + Self.mostOutcomes, accepted.count)])
            parts.append(part)
        }
        for start in stride(from: 0, to: others.count, by: Self.mostOutcomes) {
            var part = OutcomeBatch(delivery: delivery)
            part.others = Array(others[start..<min(start + Self.mostOutcomes, others.count)])
            parts.append(part)
        }
        parts[parts.count - 1].answers = answers
        return parts
    }
}

extension OutcomeBatch {
    mutating func moveDueTimes(bySeconds seconds: Int64) {
        for index in others.indices {
            guard case .retrying(let due, let type, let reason, let word) = others[index].change else { continue }
            others[index].change = .retrying(
                due: due.advanced(bySeconds: seconds), type, reason, providerReason: word)
        }
    }
}
