package import PushModel

/// The wall clock that dates commits.
package struct WriteClock: Sendable {
    package var wall: @Sendable () -> WallMoment
    /// Called before each group. Returns how due times must change if the clock was set back since the
    /// previous call; otherwise `nil`.
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
    /// Adjusts times that were calculated from the clock before it was set back.
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
