internal import PushModel
internal import Synchronization

/// What was counted for frequency caps, from one chunk to the next: an interruption costs a new count. Of a
/// few services at once, or many would hold ten megabytes each.
final class FrequencyCapMemory: Sendable {
    private static let mostServices = 16
    /// One that nobody has gone on with for so long makes room: its delivery was stopped, or paused.
    private static let longestRest: Duration = .seconds(60)

    private let counts = Mutex<[FrequencyCapCount]>([])

    /// Counts a step for a delivery that heeds a cap.
    /// - Returns: whether all is counted.
    func count(
        for plan: PreparationPlan, _ cap: FrequencyCap, at now: WallTime, _ db: any Session
    ) throws -> Bool {
        try counts.withLock { counts in
            if let index = counts.firstIndex(where: { $0.service == plan.service }),
                try !counts[index].serves(cap, isBeginning: plan.cursor.isFirst, at: now, db)
            {
                counts.remove(at: index)
            }
            if !counts.contains(where: { $0.service == plan.service }) {
                guard Self.makeRoom(&counts) else { return false }
                counts.append(try FrequencyCapCount(plan.service, cap, at: now, db))
            }
            guard let index = counts.firstIndex(where: { $0.service == plan.service }) else { return true }
            let began = ContinuousClock.now
            try counts[index].goOn(at: now, db)
            let ended = ContinuousClock.now
            counts[index].took += began.duration(to: ended)
            counts[index].lastStep = ended
            return counts[index].counted != nil
        }
    }

    /// - Returns: false where all that there is room for are under way: this one's turn comes later. A count that
    ///   made room before its end would never come to it.
    private static func makeRoom(_ counts: inout [FrequencyCapCount]) -> Bool {
        guard counts.count >= mostServices else { return true }
        let now = ContinuousClock.now
        let index = counts.firstIndex {
            $0.counted != nil || $0.lastStep.duration(to: now) > longestRest
        }
        guard let index else { return false }
        counts.remove(at: index)
        return true
    }

    /// Marks those of a service's app that have been sent as much as its cap allows.
    func mark(_ members: inout [TargetSelection.Member], of app: AppID, _ service: ServiceID) {
        counts.withLock { counts in
            counts.first { $0.service == service }?.mark(&members, of: app)
        }
    }

    /// See ``FrequencyCapCount/note(_:_:)``.
    func note(_ part: Part, _ subscriptions: ContiguousArray<SubscriptionID>, of service: ServiceID) {
        counts.withLock { counts in
            guard let index = counts.firstIndex(where: { $0.service == service }) else { return }
            counts[index].note(part, subscriptions)
        }
    }

    /// A service has no cap, and nothing of it is noted from now on.
    func forget(_ service: ServiceID) {
        counts.withLock { counts in counts.removeAll { $0.service == service } }
    }
}

extension PreparationPlan.Cursor {
    /// Whether nothing is prepared yet.
    var isFirst: Bool { app == 0 && page == 0 && value == 0 && subscription == 0 }
}
