internal import Logging
internal import PushModel
internal import PushSchedule

/// Changed settings for a running master.
extension MasterMachine {
    /// Applies changed settings. The reader reports accounts whose gateways are reached differently, as it
    /// does for changed apps. Children receive their terms only once, so changed terms require new children.
    /// The existing children are drained, so no message is lost.
    mutating func reconfigure(_ new: Reconfiguration) {
        guard drainDeadline == nil else { return }
        let before = settings
        settings = new.settings
        if !settings.logsAttempts { attemptNotes = AttemptNotes() }
        retries = RetryPolicy(calendar: settings.calendar, fast: settings.fastRetries)
        staffing.limits = settings.staffing
        ledger.requeuesLost = settings.requeuesLost
        read(.reconfigure(new))
        write(.reconfigure(settings))
        let working = children.filter { $0.value.state == .working }.keys.sorted()
        let surplus = max(working.count - settings.staffing.maximum, 0)
        let leaving = settings.welcome == before.welcome ? Array(working.suffix(surplus)) : working
        guard !leaving.isEmpty else { return }
        log(.info, "the settings have changed: draining \(leaving.count) children")
        for id in leaving { drain(id) }
    }
}
