internal import Logging
internal import PushModel
internal import PushStore
internal import PushSystem
internal import Synchronization

/// Compares this host's clock with the clock of the store's server. ``HostClock`` decides the consequences.
extension HostCoordinator {
    /// - Returns: Whether this host should send nothing.
    func compareClocks(
        _ news: HostUpdate, sentAt sent: MonotonicTime, now: MonotonicTime, isSending: Bool
    ) -> Bool {
        let wall = Clocks.moment().millisecondsSince1970
        let (isNew, clock, leads) = state.withLock { state in
            let wasOff = state.clock.differenceMilliseconds != nil
            state.clock.looked(wall: wall, store: news.storeMilliseconds, sentAt: sent, now: now)
            var leads = false
            if case .serving = state.lease.role { leads = true }
            return (!wasOff, state.clock, leads)
        }
        if isNew, let seconds = clock.differenceSeconds {
            logger.warning(
                """
                the clocks of this machine and of the database server differ by \(seconds) s; check the \
                time service
                """
            )
        }
        let another = (leads: news.otherLeader != nil, sends: news.others.contains(where: \.sends))
        return clock.rests(leads: leads, another: another, isSending: isSending, at: now)
    }

    /// Reports whether this host must not lead because its clock differs. Another host that sends and has the
    /// right clock should take over instead.
    func mayNotLead(alongside others: [LiveHost]) -> Bool {
        others.contains(where: \.sends) && state.withLock(\.clock.differenceMilliseconds) != nil
    }
}

/// Hosts whose lease renewals are overdue. ``HostWatch`` decides which hosts these are.
extension HostCoordinator {
    /// Returns the hosts whose lease renewals are overdue, and logs each of them once.
    func noteLateHosts(at now: MonotonicTime) -> [LateHost] {
        let (before, late) = state.withLock { state in
            let before = state.late
            state.late = state.watch.late(at: now)
            return (before, state.late)
        }
        for host in late where !before.contains(where: { $0.session == host.session }) {
            logger.warning("host \(host.name): \(host)")
        }
        return late
    }
}

/// Texts for the log and `status`.
extension HostCoordinator {
    /// Returns a description of the event that this host is waiting for. The log and `status` show it.
    static func awaited(_ host: String, isLed: Bool, isDrained: Bool, rests: Bool) -> String {
        if isDrained {
            return "an operator to allow it to send again: pushmta host resume \(host)"
        }
        if rests {
            return
                "its clock to match the database server's, while other hosts send; check the time service"
        }
        if isLed { return "the other hosts to make room for this one" }
        return
            """
            the current holder of the store to end: a host that fell silent, a copy, or a connection \
            that is still open
            """
    }

    static func takeOverLine(_ name: String, _ generation: Int64) -> String {
        """
        taking over from host \(name), which no longer renews its lease: generation \(generation); check \
        that machine and its service
        """
    }

    static func silenceLine(_ name: String) -> String {
        """
        host \(name) no longer renews its lease: other hosts send its unsent messages; check that machine \
        and its service
        """
    }

    /// - Parameter seconds: The time after which this host stops sending.
    static func renewalLine(_ error: any Error, _ seconds: Int64) -> String {
        """
        the lease cannot be renewed: \(error); trying again every second, and no request starts later than \
        \(seconds) s after the last renewal
        """
    }

    /// - Parameter seconds: The time after which other hosts take over.
    static func farewellLine(_ error: any Error, _ seconds: Int64) -> String {
        """
        this host cannot announce that it is ending: \(error); the other hosts take over its parts \
        \(seconds) s after the last renewal of its lease
        """
    }
}
