package import PushModel

extension PartProgress {
    /// Ends what waits, because an operator wants it so: what was never answered is cancelled, what is
    /// retrying fails with its last answer. What is with a gateway at the moment may still become sent.
    package func stop(at now: WallTime) -> PartChange {
        endWaiting(at: now) { status in
            status.isPending
                ? status.becoming(.cancelled, cause: .stopped, at: now)
                : status.becoming(.failed, cause: status.cause, at: now)
        }
    }

    /// Cancels a message that waits. If it is with a gateway at the moment, it may still become sent.
    /// - Parameter notes: all of the part; nil only if nothing of it is retrying.
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

    /// What a child had that was lost.
    package enum Lost: Sendable {
        /// Messages that were granted as pending.
        case pending(MessageSet)
        /// Messages that were granted as due again.
        case retries(MessageSet)
    }

    /// Fails, as unreachable, what a lost child had and nobody answered: for where lost messages are not sent
    /// again. Where they are, nothing is to be done: they still wait. One that got its answer meanwhile has
    /// ended or waits for another day, and is left alone.
    /// - Parameters:
    ///   - generation: of the grant. Under another than the part's nothing changes.
    ///   - notes: all of the part; nil only for ``Lost/pending(_:)``.
    package func fail(
        _ lost: Lost, at now: WallTime, under generation: Int64, notes: PartNotes?
    ) -> PartChange {
        guard generation == self.generation, isOpen else { return PartChange(unchanged: self) }
        var walk = PartWalk(self, notes: notes, at: now)
        switch lost {
        case .pending(let messages):
            walk.forEachStretch(of: messages) { _, stretch in
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
    /// Puts what `body` makes of each stretch of equal status within `messages`.
    mutating func forEachStretch(
        of messages: MessageSet, _ body: (inout PartWalk, Stretch) -> MessageStatus
    ) {
        while let range = messages.nextRange(from: position) {
            keep(to: range.lowerBound)
            while let stretch = stretch(before: range.upperBound) { put(body(&self, stretch), for: stretch) }
            // What lies beyond the part is nobody's.
            guard position == range.upperBound else { return }
        }
    }

    /// The same message by message.
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
