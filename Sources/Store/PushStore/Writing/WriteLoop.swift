internal import PushModel
internal import PushSystem

/// The loop of the writer's thread. It obeys ``WriteQueue`` and decides nothing.
struct WriteLoop {
    private let service: WriteService
    private var queue: WriteQueue
    private var jobs: [UInt64: WriteJob] = [:]
    private var lastJob: UInt64 = 0
    private var lastGroup: Int64?
    private var deadline: MonotonicTime?
    private var isEnding = false
    /// The error of the last group that failed.
    private var lastError: StoreError?
    /// An unfinished adjustment of due times to the wall clock; `nil` if there is none.
    private var shift: RetryShift?

    init(_ service: WriteService) {
        self.service = service
        queue = WriteQueue(batching: service.batching)
        shift = RetryShift(now: service.clock.wall().time)
    }

    mutating func run() {
        while true {
            for order in service.takeOrders() { obey(order) }
            if let deadline, Clocks.monotonic() > deadline { giveUp() }
            if isEnding, queue.isEmpty { break }
            watchClock()
            // Due times must be moved before anything is recorded with the new time. Afterwards it is
            // impossible to tell which clock dated a row.
            if isFollowingStep, !queue.isResting(at: Clocks.monotonic()) {
                moveDueTimes()
                continue
            }
            switch queue.next(at: Clocks.monotonic()) {
            case .run(let units): write(units)
            case .rest where shift != nil && !queue.isResting(at: Clocks.monotonic()): moveDueTimes()
            case .rest(let until):
                let classes = queue.waitingClasses
                service.note { $0.classes = classes }
                service.wait(until: [until, deadlineIfWaiting].compactMap(\.self).min())
            }
        }
        for order in service.close() {
            if case .job(let job) = order { service.complete([{ job.fail(.ended) }]) }
        }
    }

    private var deadlineIfWaiting: MonotonicTime? {
        queue.isEmpty ? nil : deadline?.advanced(byMilliseconds: 1)
    }

    // MARK: Orders

    private mutating func obey(_ order: WriteService.Order) {
        switch order {
        case .job(let job): admit(job)
        case .ping(let answer):
            service.store.stayConnected()
            answer()
        case .hurry(let moment):
            deadline = moment
            end(queue.drop(WriteClass.leftToTheNextRun))
        case .end: isEnding = true
        }
    }

    private mutating func admit(_ job: WriteJob) {
        if deadline != nil, WriteClass.leftToTheNextRun.contains(job.kind) {
            return service.complete([{ job.fail(.ended) }])
        }
        lastJob += 1
        let unit = WriteQueue.Unit(
            id: lastJob, kind: job.kind, rows: job.rows, merges: job.merges, delivery: job.delivery,
            submitted: Clocks.monotonic())
        guard queue.add(unit) else { return service.complete([{ job.fail(.full) }]) }
        jobs[lastJob] = job
    }

    private mutating func giveUp() { end(queue.drop(Set(WriteClass.allCases))) }

    private mutating func end(_ units: [WriteQueue.Unit]) {
        let ended = units.compactMap { jobs.removeValue(forKey: $0.id) }
        service.complete(ended.map { job in { job.fail(.ended) } })
    }

    // MARK: Groups

    private mutating func write(_ units: [WriteQueue.Unit]) {
        let began = Clocks.monotonic()
        var group = WriteGroup(units.compactMap { jobs[$0.id] }, began: began)
        let classes = queue.waitingClasses
        service.note { ($0.classes, $0.began) = (classes, began) }
        let end = commit(&group)
        let now = Clocks.monotonic()
        note(end, of: units, nanoseconds: now.nanoseconds - began.nanoseconds)
        if case .committed = end {
            service.complete(group.completions)
            if let result = group.recorded, !(result.finished.isEmpty && result.judgements.isEmpty) {
                service.emit(.recorded(result))
            }
        }
        obey(queue.ended(end, nanoseconds: now.nanoseconds - began.nanoseconds, at: now))
    }

    private func note(_ end: WriteQueue.End, of units: [WriteQueue.Unit], nanoseconds: Int64) {
        service.note { figures in
            figures.began = nil
            guard case .committed(let count) = end else { return figures.failures += 1 }
            figures.commits.add(nanoseconds: nanoseconds)
            figures.rows += UInt64(units.prefix(count).reduce(0) { $0 + $1.rows })
        }
    }

    private mutating func obey(_ actions: [WriteQueue.Action]) {
        for action in actions {
            switch action {
            case .committed(let unit): jobs[unit.id] = nil
            // Outcomes have no caller that could react to a refusal.
            case .refused(let unit) where unit.merges: setAside(unit, nil)
            case .refused(let unit): refuse(unit)
            case .setAside(let unit, let delivery): setAside(unit, delivery)
            case .unknown(let unit):
                guard let job = jobs.removeValue(forKey: unit.id) else { break }
                service.complete([{ job.fail(.unknown) }])
            case .failure: service.emit(.failure(failure))
            case .recovered: service.emit(.recovered)
            }
        }
    }

    private mutating func commit(_ group: inout WriteGroup) -> WriteQueue.End {
        if group.changesNothing {
            group.skip()
            return .committed(units: group.count)
        }
        do throws(StoreError) {
            if lastGroup == nil { lastGroup = try service.engine.lastGroup() }
        } catch {
            lastError = error
            return .failed(error.remedy == .setAside ? .wait : error.remedy, delivery: nil)
        }
        return commit(&group, number: (lastGroup ?? 0) + 1)
    }

    private mutating func commit(_ group: inout WriteGroup, number: Int64) -> WriteQueue.End {
        do throws(TransactionFailure) {
            try service.engine.transaction(group: number) { () throws(StoreError) in
                try group.write(service)
            }
        } catch {
            switch error.mayBeCommitted ? isCommitted(number) : false {
            case true?: break
            case false?:
                lastError = error.error
                return .failed(error.error.remedy, delivery: error.error.delivery)
            case nil:
                lastGroup = nil
                return .unknown
            }
        }
        lastGroup = number
        return .committed(units: group.count)
    }

    /// After a commit with an unknown result, finds out whether the group was committed. Nothing else can be
    /// done before that is known.
    /// - Returns: `nil` if the deadline of ``WriteService/hurry(until:)`` passed before the store could
    ///   answer.
    private mutating func isCommitted(_ number: Int64) -> Bool? {
        var wasReported = false
        while true {
            do throws(StoreError) {
                let isCommitted = try service.engine.lastGroup() >= number
                if wasReported { service.emit(.recovered) }
                return isCommitted
            } catch {
                if !wasReported { service.emit(.failure(error.description)) }
                wasReported = true
                let next = Clocks.monotonic().advanced(bySeconds: WriteQueue.restSeconds)
                while Clocks.monotonic() < next {
                    for order in service.takeOrders() { obey(order) }
                    if let deadline, Clocks.monotonic() > deadline { return nil }
                    service.wait(until: min(next, deadline?.advanced(byMilliseconds: 1) ?? next))
                }
            }
        }
    }

    private var failure: String {
        guard let error = lastError else { return "the store cannot be written" }
        guard error.remedy == .setAside else { return error.description }
        return
            """
            writing has failed for more than \(WriteQueue.maxSetAside) deliveries, which indicates damage to \
            the store itself; check its disk, and restore a backup if necessary: \(error)
            """
    }

    // MARK: The wall clock

    private mutating func watchClock() {
        if let step = service.clock.setBack(service.clock.wall()) { shift = step }
    }

    private var isFollowingStep: Bool { shift.map { $0.stepSeconds > 0 } ?? false }

    /// Moves as many due times as one transaction may change.
    private mutating func moveDueTimes() {
        guard var moved = shift else { return }
        // The clock step was not observed. The current time is updated so that rows recorded in the meantime
        // do not count as rows from the future.
        if !isFollowingStep { moved.now = service.clock.wall().time }
        do throws(StoreError) {
            shift = try service.store.outcomes.move(&moved) ? moved : nil
            obey(queue.recovered())
        } catch {
            lastError = error
            // Due times that can never be moved stay unchanged. Those messages are late, and everything else
            // continues.
            if error.remedy == .setAside { shift = nil }
            obey(queue.interrupted(at: Clocks.monotonic()))
        }
    }

    // MARK: What cannot be written

    private mutating func refuse(_ unit: WriteQueue.Unit) {
        guard let job = jobs.removeValue(forKey: unit.id), let error = lastError else { return }
        service.complete([{ job.fail(.refused(error)) }])
    }

    /// Puts the delivery on hold first, so that a component that is notified does not immediately find the
    /// delivery again.
    private mutating func setAside(_ unit: WriteQueue.Unit, _ delivery: DeliveryID?) {
        guard let job = jobs.removeValue(forKey: unit.id), let error = lastError else { return }
        let (why, emit) = (error.description, service.emit)
        guard let delivery else {
            service.complete([{ job.fail(.setAside(error)) }])
            return emit(.setAside(why: why))
        }
        let (now, ends) = (service.clock.wall(), unit.kind == .verdicts)
        admit(
            WriteJob(
                kind: .outcomes, rows: 1,
                run: { store throws(StoreError) in
                    let isNew = try store.repair.hold(delivery, because: why, expires: !ends, at: now)
                    return {
                        if isNew { emit(.damaged(delivery, why: why)) }
                        job.fail(.setAside(error))
                    }
                }, fail: { _ in job.fail(.setAside(error)) }))
    }
}

extension WriteClass {
    /// Work that the next run continues where it was left, whichever process runs it.
    fileprivate static let leftToTheNextRun: Set<WriteClass> = [.preparation, .bulk]
}
