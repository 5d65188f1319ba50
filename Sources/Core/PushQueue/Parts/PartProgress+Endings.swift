package import PushModel

extension PartProgress {
    /// Ends the waiting messages at the request of an operator: messages that were never answered are
    /// cancelled, and retrying messages fail with their last answer. Messages that are currently with a
    /// gateway may still reach the state `sent`.
    package func stop(at now: WallTime) -> PartChange {
        endWaiting(at: now) { status in
            status.isPending
                ? status.becoming(.cancelled, cause: .stopped, at: now)
                : status.becoming(.failed, cause: status.cause, at: now)
        }
    }

    /// Cancels a waiting message. If it is currently with a gateway, it may still reach the state `sent`.
    /// - Parameter notes: All notes of the part; `nil` only if none of its messages is retrying.
    package func cancel(_ index: Int, at now: WallTime, notes: PartNotes?) -> PartChange {
        var walk = PartWalk(self, notes: notes, at: now)
        walk.keep(to: index)
        if let stretch = walk.stretch(before: index + 1) {
            let status = stretch.status
            walk.put(
                status.isWaiting ? status.becoming(.cancelled, cause: .cancelled, at: now) : status,
                for: stretch)
        }
        return walk.finish()
    }

    func endWaiting(at now: WallTime, _ body: (MessageStatus) -> MessageStatus) -> PartChange {
        guard isOpen else { return PartChange(unchanged: self) }
        var walk = PartWalk(self, notes: nil, at: now)
        while let stretch = walk.stretch(before: states.count) {
            walk.put(stretch.status.isWaiting ? body(stretch.status) : stretch.status, for: stretch)
        }
        return walk.finish()
    }

    /// Messages of a child that was lost.
    package enum Lost: Sendable {
        /// Messages that were granted as pending.
        case pending(MessageSet)
        /// Messages that were granted as retries.
        case retries(MessageSet)
    }

    /// Marks the unanswered messages of a lost child as failed, with the reason "unreachable". This is for
    /// deliveries whose lost messages are not sent again; otherwise there is nothing to do, because the
    /// messages are still waiting. A message that has received its answer has ended or waits for a later
    /// retry, and does not change.
    /// - Parameters:
    ///   - generation: The generation of the grant. If it differs from the part's, nothing changes.
    ///   - notes: All notes of the part; `nil` only for ``Lost/pending(_:)``.
    package func fail(
        _ lost: Lost, at now: WallTime, under generation: Int64, notes: PartNotes?
    ) -> PartChange {
        guard generation == self.generation, isOpen else { return PartChange(unchanged: self) }
        var walk = PartWalk(self, notes: notes, at: now)
        switch lost {
        case .pending(let messages):
            walk.forEachStatusRange(of: messages) { _, stretch in
                guard stretch.status.isPending else { return stretch.status }
                return stretch.status.becoming(.failed, cause: .childLost, at: now)
            }
        case .retries(let messages):
            walk.forEachMessage(of: messages) { walk, index, status in
                guard status.isRetrying, walk.due(of: index, status) <= now else { return status }
                return status.becoming(.failed, cause: .childLost, at: now)
            }
        }
        return walk.finish()
    }
}

extension PartWalk {
    /// Sets each stretch of equal status within `messages` to the status that `body` returns.
    mutating func forEachStatusRange(
        of messages: MessageSet, _ body: (inout PartWalk, StatusRange) -> MessageStatus
    ) {
        while let range = messages.nextRange(from: position) {
            keep(to: range.lowerBound)
            while let stretch = stretch(before: range.upperBound) { put(body(&self, stretch), for: stretch) }
            // Indices beyond the part belong to no message.
            guard position == range.upperBound else { return }
        }
    }

    /// Sets each message within `messages` to the status that `body` returns.
    mutating func forEachMessage(
        of messages: MessageSet, _ body: (inout PartWalk, Int, MessageStatus) -> MessageStatus
    ) {
        while let range = messages.nextRange(from: position) {
            keep(to: range.lowerBound)
            for index in range {
                guard let stretch = stretch(before: index + 1) else { return }
                put(body(&self, index, stretch.status), for: stretch)
            }
        }
    }
}
