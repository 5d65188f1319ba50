package import PushModel

/// A token that the feedback service reports as dead, because the app is no longer on the token's device.
package struct FeedbackTuple: Equatable, Sendable, CustomStringConvertible {
    /// The time at which the gateway noticed that the token is dead. A device that registered again after
    /// this time is alive.
    package let time: WallTime
    /// The token as the store keeps it.
    package let token: String

    package init(time: WallTime, token: String) {
        self.time = time
        self.token = token
    }

    /// Tokens are not printed.
    package var description: String { "feedback of \(time.secondsSince1970)" }
}
