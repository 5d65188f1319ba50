/// Determines when to check that a quiet peer is alive, and when to give it up. The type is a value that its
/// owner updates with events.
package struct Keepalive: Equatable {
    package enum Action: Equatable { case nothing, ping, giveUp }

    /// The durations from `HTTP2Configuration`, in nanoseconds.
    package let afterQuiet, whenIdle, timeout: Int64
    package private(set) var lastReceived: Int64
    /// The time since which answers have been due without interruption; `nil` if no answer is due.
    package private(set) var dueSince: Int64?
    package private(set) var pingSent: Int64?

    package init(afterQuiet: Int64, whenIdle: Int64, timeout: Int64, now: Int64) {
        (self.afterQuiet, self.whenIdle, self.timeout, lastReceived) = (afterQuiet, whenIdle, timeout, now)
    }

    /// Records received bytes. Any bytes are a sign of life, including the answer to a PING. Returns `true`
    /// if a PING was outstanding, in which case ``next`` may be earlier than before.
    package mutating func received(at now: Int64) -> Bool {
        lastReceived = now
        guard pingSent != nil else { return false }
        pingSent = nil
        return true
    }
    package mutating func answersDue(at now: Int64) { if dueSince == nil { dueSince = now } }
    package mutating func nothingDue() { dueSince = nil }

    /// The earliest time at which ``check(at:)`` may request an action.
    package var next: Int64 {
        if let pingSent { return pingSent &+ timeout }
        if let dueSince { return max(lastReceived, dueSince) &+ afterQuiet }
        return lastReceived &+ whenIdle
    }

    package mutating func check(at now: Int64) -> Action {
        guard now >= next else { return .nothing }
        if pingSent != nil { return .giveUp }
        pingSent = now
        return .ping
    }
}
