/// When to ask a quiet peer whether it is there, and when to give it up. A value that is told what happened.
struct Keepalive: Equatable {
    enum Action: Equatable { case nothing, ping, giveUp }

    /// Nanoseconds, all of them.
    let afterQuiet, whenIdle, timeout: Int64
    private(set) var lastHeard: Int64
    /// Since when answers have been due without a pause.
    private(set) var dueSince: Int64?
    private(set) var pingSent: Int64?

    init(afterQuiet: Int64, whenIdle: Int64, timeout: Int64, now: Int64) {
        (self.afterQuiet, self.whenIdle, self.timeout, lastHeard) = (afterQuiet, whenIdle, timeout, now)
    }

    /// Bytes came. Any will do as a sign of life; the answer to a PING is one.
    mutating func heard(at now: Int64) {
        lastHeard = now
        pingSent = nil
    }
    mutating func answersDue(at now: Int64) { if dueSince == nil { dueSince = now } }
    mutating func nothingDue() { dueSince = nil }

    /// The next moment at which ``check(at:)`` may have something to say.
    var next: Int64 {
        if let pingSent { return pingSent &+ timeout }
        if let dueSince { return max(lastHeard, dueSince) &+ afterQuiet }
        return lastHeard &+ whenIdle
    }

    mutating func check(at now: Int64) -> Action {
        guard now >= next else { return .nothing }
        if pingSent != nil { return .giveUp }
        pingSent = now
        return .ping
    }
}
