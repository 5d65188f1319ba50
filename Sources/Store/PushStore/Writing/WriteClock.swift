package import PushModel

/// The wall clock that commits are dated by.
package struct WriteClock: Sendable {
    package var wall: @Sendable () -> WallMoment
    /// Asked before each group: whether the clock was set back since the last time, and what is to become of
    /// due times.
    package var setBack: @Sendable (WallMoment) -> RetryShift?

    package init(
        wall: @escaping @Sendable () -> WallMoment,
        setBack: @escaping @Sendable (WallMoment) -> RetryShift? = { _ in nil }
    ) {
        self.wall = wall
        self.setBack = setBack
    }
}

extension OutcomeBatch {
    /// What was decided by a clock that was set back since follows it.
    mutating func follow(clock now: WallTime, decided: WallTime) {
        guard decided > now else { return }
        for index in others.indices {
            guard case .retrying(let due, let type, let reason, let word) = others[index].change else {
                continue
            }
            others[index].change = .retrying(
                due: due.advanced(bySeconds: now.seconds(since: decided)), type, reason, providerReason: word)
        }
    }
}
