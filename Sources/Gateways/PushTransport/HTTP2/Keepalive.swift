/// When to ask a quiet peer whether it is there, and when to give it up. A value that is told what happened.
package struct Keepalive: Equatable {
    package enum Action: Equatable { case nothing, ping, giveUp }

    /// Nanoseconds, all of them.
    package let afterQuiet, whenIdle, timeout: Int64
    package private(set) var lastHeard: Int64
    /// Since when answers have been due without a pause.
    package private(set) var dueSince: Int64?
    package private(set) var pingSent: Int64?

    package init(afterQuiet: Int64, whenIdle: Int64, timeout: Int64, now: Int64) {
        (self.afterQuiet, self.whenIdle, self.timeout, lastHeard) = (afterQuiet, whenIdle, timeout, now)
    }

    /// Bytes came. Any will do as a sign of life; the answer to a PING is one. True when a PING was waited
    /// for: then ``next`` may be earlier than it was.
    package mutating func heard(at now: Int64) -> Bool {
        lastHeard = now
        guard pingSent != nil else { return false }
        pingSent = nil
        return true
    }
    package mutating func answersDue(at now: Int64) { if dueSince == nil { dueSince = now } }
    package mutating func nothingDue() { dueSince = nil }

    /// The next moment at which ``check(at:)`` may have something to say.
    package var next: Int64 {
        if let pingSent { return pingSent &+ timeout }
        if let dueSince { return max(lastHeard, dueSince) &+ afterQuiet }
        return lastHeard &+ whenIdle
    }

    package mutating func check(at now: Int64) -> Action {
        guard now >= next else { return .nothing }
        if pingSent != nil { return .giveUp }
        pingSent = now
        return .ping
    }
}
