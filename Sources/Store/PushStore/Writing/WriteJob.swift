internal import PushModel

/// A unit of writing, with its work and its completion.
struct WriteJob: Sendable {
    enum Work: Sendable {
        /// The outcomes of one delivery, and the time from which due times were calculated. If the outcomes
        /// are `nil`, the job changes nothing but keeps its place in the order. The outcomes of a group are
        /// recorded together.
        case outcomes(OutcomeBatch?, decided: WallTime)
        /// Changes nothing. Its completion is called after those of all outcomes that were submitted before
        /// it.
        case turn
        /// Consecutive hits of a group are written together. Each caller receives its own result.
        case hit(HitRecord, told: @Sendable (HitEnd) -> Void)
        case registration(RegistrationRecord, told: @Sendable (RegistrationEnd) -> Void)
        /// Returns the call to make after the commit.
        case body(@Sendable (Store) throws(StoreError) -> @Sendable () -> Void)
    }

    var kind: WriteClass
    var rows: Int
    var work: Work
    /// Called with a failure if there was, or will be, no commit. For outcomes, it is also called after the
    /// commit, with `nil`.
    private let ended: @Sendable (WriteService.Failure?) -> Void

    init(
        outcomes batch: OutcomeBatch?, decided: WallTime,
        end: @escaping @Sendable (WriteService.Failure?) -> Void
    ) {
        kind = .outcomes
        rows = batch.map(OutcomeWriter.rows(of:)) ?? 0
        work = .outcomes(batch, decided: decided)
        ended = end
    }

    init(turn end: @escaping @Sendable (WriteService.Failure?) -> Void) {
        kind = .outcomes
        rows = 0
        work = .turn
        ended = end
    }

    init(
        kind: WriteClass, rows: Int,
        run: @escaping @Sendable (Store) throws(StoreError) -> @Sendable () -> Void,
        fail: @escaping @Sendable (WriteService.Failure) -> Void
    ) {
        self.kind = kind
        self.rows = rows
        work = .body(run)
        ended = { if let failure = $0 { fail(failure) } }
    }

    init(
        hit: HitRecord, told: @escaping @Sendable (HitEnd) -> Void,
        fail: @escaping @Sendable (WriteService.Failure) -> Void
    ) {
        kind = .hits
        rows = HitWriter.rowsOfHit
        work = .hit(hit, told: told)
        ended = { if let failure = $0 { fail(failure) } }
    }

    init(
        registration: RegistrationRecord, told: @escaping @Sendable (RegistrationEnd) -> Void,
        fail: @escaping @Sendable (WriteService.Failure) -> Void
    ) {
        kind = .registrations
        rows = RegistrationWriter.rows(of: registration)
        work = .registration(registration, told: told)
        ended = { if let failure = $0 { fail(failure) } }
    }

    /// Whether the job is written together with other jobs of its kind, before everything else in its group.
    var merges: Bool {
        switch work {
        case .outcomes, .turn: true
        case .body, .hit, .registration: false
        }
    }

    /// The delivery whose rows the job changes, if it is known before the job is written.
    var delivery: DeliveryID? {
        switch work {
        case .outcomes(let batch, _): batch?.delivery
        case .hit(let hit, _): hit.delivery
        case .turn, .registration, .body: nil
        }
    }

    var changesNothing: Bool {
        switch work {
        case .outcomes(let batch, _): batch == nil
        case .turn: true
        case .body, .hit, .registration: false
        }
    }

    @Sendable func recorded() { ended(nil) }
    func fail(_ failure: WriteService.Failure) { ended(failure) }
}

extension OutcomeBatch {
    /// The maximum number of outcomes in one transaction, with a margin: an outcome touches its message's row
    /// and may store a verdict.
    private static let maxOutcomes = OutcomeWriter.maximumRows / 2 - 50

    /// The batch, divided into parts that can each be recorded. The information about accounts is in the last
    /// part, because accounts are judged when all of their answers are present.
    var inRecordableParts: [OutcomeBatch] {
        guard OutcomeWriter.rows(of: self) > OutcomeWriter.maximumRows else { return [self] }
        var parts: [OutcomeBatch] = []
        for start in stride(from: 0, to: accepted.count, by: Self.maxOutcomes) {
            var part = OutcomeBatch(delivery: delivery)
            part.accepted = Array(accepted[start..<min(start + Self.maxOutcomes, accepted.count)])
            parts.append(part)
        }
        for start in stride(from: 0, to: others.count, by: Self.maxOutcomes) {
            var part = OutcomeBatch(delivery: delivery)
            part.others = Array(others[start..<min(start + Self.maxOutcomes, others.count)])
            parts.append(part)
        }
        parts[parts.count - 1].answers = answers
        return parts
    }

    mutating func append(_ other: OutcomeBatch) {
        accepted.append(contentsOf: other.accepted)
        others.append(contentsOf: other.others)
        for answers in other.answers { count(answers) }
    }
}
