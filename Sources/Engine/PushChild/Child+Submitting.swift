internal import GatewayKit
internal import PushModel
internal import PushSchedule
internal import PushSystem
internal import PushTransport
internal import PushWire

/// Whose message goes next, and handing it to its connector: the child's hot path.
extension Child {
    /// Whether requests may begin still, as this host's lease of the store says. Where there is none to keep it
    /// costs nothing.
    var mayBegin: Bool { lease.map { bootClock() < $0 } ?? true }

    func submit() {
        guard link.backlog < Self.backlogBytes else { return }
        let wall = Clocks.wall()
        // Each account has at least one turn; the loop ends when nobody could submit anything.
        var idle = 0
        // The lease is looked at before each turn, not each message: the process may be stopped between any two
        // of its steps, and then at most a turn goes out too late.
        while idle < turns.count, mayBegin, let account = turns.take() {
            guard let queue = queues[account], queue.hasWork else {
                turns.leave(account)
                continue
            }
            if let (verdict, reason) = queue.givingBack {
                giveBackAll(queue, .neverSent(verdict, reason: reason))
            } else if queue.connector.credit > 0 {
                let submitted = takeTurn(queue, wall)
                if submitted { queue.lastUsed = now }
                idle = submitted ? 0 : idle + 1
            } else {
                queue.connector.wake()
                idle += 1
            }
        }
    }

    /// A loop costs what was submitted in it, however many accounts rest.
    func flushSubmitted() {
        guard !submitted.isEmpty else { return }
        // To flush may tell of endings, which may make others submit again: those come with the next loop.
        let queues = submitted
        submitted.removeAll()
        for queue in queues {
            queue.isSubmitting = false
            queue.connector.flush()
        }
    }

    /// Up to a quantum of messages, urgent ones first; false when there was credit for none.
    func takeTurn(_ queue: AccountQueue, _ wall: WallTime) -> Bool {
        if !queue.isSubmitting {
            queue.isSubmitting = true
            submitted.append(queue)
        }
        var left = Self.quantum
        let hadRoom =
            submitGrants(of: queue, wall, &left, next: \.firstUrgent)
            && submitAgain(queue, wall, &left)
            && submitGrants(of: queue, wall, &left, next: \.first)
        return hadRoom || left < Self.quantum
    }

    /// What the gateway did not look at. - Returns: false when the connector has no credit.
    private func submitAgain(_ queue: AccountQueue, _ wall: WallTime, _ left: inout Int) -> Bool {
        while left > 0, let tag = queue.again.last {
            guard let frame = grants.frame(of: tag) else {
                queue.again.removeLast()
                continue
            }
            if let grant = grants[GrantRun.place(of: tag)], isStale(grant, wall) {
                queue.again.removeLast()
                finish(tag, .stale)
                continue
            }
            var run = GrantRun(
                of: frame, at: GrantRun.place(of: tag), from: GrantRun.offset(of: tag), atMost: 1)
            guard hand(&run, to: queue) else { return false }
            queue.again.removeLast()
            left -= 1
        }
        return true
    }

    /// - Parameter next: the grant to go on with, which is the first of all; nil: no more of this kind.
    /// - Returns: false when the connector has no credit.
    private func submitGrants(
        of queue: AccountQueue, _ wall: WallTime, _ left: inout Int, next: (WaitingGrants) -> Int?
    ) -> Bool {
        while left > 0, let place = next(queue.grants) {
            guard let grant = grants[place], grant.unsubmitted > 0 else {
                queue.grants.removeFirst()
                continue
            }
            if isStale(grant, wall) {
                queue.grants.removeFirst()
                giveBack(grant: place, .stale)
                continue
            }
            let taken = takeFrom(grant, at: place, atMost: left, to: queue)
            left -= taken
            // At once: before this account's next turn the place may be another account's grant.
            if taken == grant.unsubmitted {
                queue.grants.removeFirst()
            } else if left > 0 {
                return false
            }
        }
        return true
    }

    /// The next messages of one grant; fewer than asked for when the grant ends or the connector has no
    /// credit.
    func takeFrom(_ grant: GrantTable.Grant, at place: Int, atMost limit: Int, to queue: AccountQueue) -> Int
    {
        let count = min(limit, grant.unsubmitted)
        var run = GrantRun(of: grant.frame, at: place, from: grant.cursor, atMost: count)
        while run.left > 0, hand(&run, to: queue) {}
        let taken = count - run.left
        grants.advance(place, to: run.offset, by: taken)
        if taken > 0, let since = grant.frame.since {
            queue.waits.add(nanoseconds: now.nanoseconds &- since.nanoseconds, count: taken)
        }
        return taken
    }

    /// Hands over messages, and ends the first that cannot be sent.
    /// - Returns: false if the connector has no credit.
    func hand(_ run: inout GrantRun, to queue: AccountQueue) -> Bool {
        var outcome = Outcome.addressless
        // The subscription may have gone since the message was prepared.
        if run.next != nil {
            switch queue.connector.submit(&run) {
            case .noCredit: return false
            case .taken: return true
            case .tooLarge(let bytes, let limit): outcome = .tooLarge(bytes: bytes, limit: limit)
            case .missing(let parameter): outcome = .missing(parameter: parameter)
            }
        }
        finish(run.tag, outcome)
        run.advance(past: run.frame.entry(at: run.offset))
        return true
    }

    /// Too old to send: the validity of its delivery is over, or it waited here for longer than a child may
    /// keep it.
    func isStale(_ grant: GrantTable.Grant, _ wall: WallTime) -> Bool {
        guard let job = jobs[grant.frame.job] else { return true }
        if job.expiresAt <= wall, graceEnd.map({ now >= $0 }) ?? true { return true }
        guard let welcome else { return false }
        return now > grant.arrived.advanced(bySeconds: Int64(welcome.maximumAgeSeconds))
    }
}
