package import PushModel

/// One token that the feedback service calls dead: on the device that it belonged to, the app is gone.
package struct FeedbackTuple: Equatable, Sendable, CustomStringConvertible {
    /// When the gateway found that out. A device that registered again after it is alive.
    package let time: WallTime
    /// As the store keeps tokens.
    package let token: String

    package init(time: WallTime, token: String) {
        self.time = time
        self.token = token
    }

    /// Tokens do not print.
    package var description: String { "feedback of \(time.secondsSince1970)" }
}
