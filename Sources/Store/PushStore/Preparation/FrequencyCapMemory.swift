internal import PushModel
internal import Synchronization

/// The counts for frequency caps, kept from one chunk to the next. After an interruption, counting starts
/// again. Only a few services are kept at once, because each may use ten megabytes.
final class FrequencyCapMemory: Sendable {
    private static let maxServices = 16
    /// The time after which a count without progress may be dropped, because its delivery was stopped or
    /// paused.
    private static let maxRest: Duration = .seconds(60)

    private let counts = Mutex<[FrequencyCapCount]>([])

    /// Performs one step of counting for a delivery that respects a cap.
    /// - Returns: Whether counting is complete.
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
            try counts[index].proceed(at: now, db)
            let ended = ContinuousClock.now
            counts[index].took += began.duration(to: ended)
            counts[index].lastStep = ended
            return counts[index].counted != nil
        }
    }

    /// - Returns: `false` if all available places are in use by counts in progress, so that the new count
    ///   must wait. Counts in progress are not dropped, because otherwise none would ever be completed.
    private static func makeRoom(_ counts: inout [FrequencyCapCount]) -> Bool {
        guard counts.count >= maxServices else { return true }
        let now = ContinuousClock.now
        let index = counts.firstIndex {
            $0.counted != nil || $0.lastStep.duration(to: now) > maxRest
        }
        guard let index else { return false }
        counts.remove(at: index)
        return true
    }

    /// Marks each member if its count has reached the service's cap. The members belong to one app of the
    /// service.
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

    /// Drops the count of a service that has no cap. From now on, no messages of the service are noted.
    func forget(_ service: ServiceID) {
        counts.withLock { counts in counts.removeAll { $0.service == service } }
    }
}

extension PreparationPlan.Cursor {
    /// Whether nothing has been prepared yet.
    var isFirst: Bool { app == 0 && page == 0 && value == 0 && subscription == 0 }
}
