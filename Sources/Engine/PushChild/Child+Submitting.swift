internal import GatewayKit
internal import PushModel
internal import PushSchedule
internal import PushSystem
internal import PushTransport
internal import PushWire

/// The choice of the next message and its handover to the connector: the child's hot path.
extension Child {
    /// Whether requests may still begin according to this host's lease of the store. Without a lease, the
    /// check costs nothing.
    var mayBegin: Bool { lease.map { bootClock() < $0 } ?? true }

    func submit() {
        guard link.backlog < Self.backlogBytes else { return }
        let wall = Clocks.wall()
        // Each account has at least one turn. The loop ends when no account could submit anything.
        var idle = 0
        // The lease is checked before each turn, not for each message: even if the process is stopped between
        // two of its steps, at most one turn is sent too late.
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

    /// Flushes the connectors that received messages. The cost depends only on the messages submitted in this
    /// loop, however many accounts are idle.
    func flushSubmitted() {
        guard !submitted.isEmpty else { return }
        // Flushing may report endings, which may allow other accounts to submit again. The messages of those
        // accounts are flushed in the next loop.
        let queues = submitted
        submitted.removeAll()
        for queue in queues {
            queue.isSubmitting = false
            queue.connector.flush()
        }
    }

    /// Submits up to a quantum of messages, urgent messages first. Returns `false` if there was no credit for
    /// any message.
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

    /// Submits the messages that the gateway did not process.
    /// - Returns: `false` if the connector has no credit.
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

    /// - Parameter next: Returns the first of the remaining grants of one kind; `nil` if there are none.
    /// - Returns: `false` if the connector has no credit.
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
            // The grant is removed immediately, because its place may belong to another account's grant
            // before this account's next turn.
            if taken == grant.unsubmitted {
                queue.grants.removeFirst()
            } else if left > 0 {
                return false
            }
        }
        return true
    }

    /// Submits the next messages of one grant, and returns their number. The number is lower than requested
    /// if the grant has no further messages or the connector has no credit.
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

    /// Hands messages to the connector, and ends the first message that cannot be sent.
    /// - Returns: `false` if the connector has no credit.
    func hand(_ run: inout GrantRun, to queue: AccountQueue) -> Bool {
        var outcome = Outcome.addressless
        // The subscription may have been deleted since the message was prepared.
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

    /// Reports whether the grant is too old to send: either the validity of its delivery is over, or the
    /// grant has been in this child for longer than a child may keep a grant.
    func isStale(_ grant: GrantTable.Grant, _ wall: WallTime) -> Bool {
        guard let job = jobs[grant.frame.job] else { return true }
        if job.expiresAt <= wall, graceEnd.map({ now >= $0 }) ?? true { return true }
        guard let welcome else { return false }
        return now > grant.arrived.advanced(bySeconds: Int64(welcome.maximumAgeSeconds))
    }
}
