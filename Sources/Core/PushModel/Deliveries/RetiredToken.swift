/// A device that a feedback service reports as gone.
package struct RetiredToken: Equatable, Sendable {
    /// The token as the store keeps it.
    package var token: String
    /// The time at which the gateway noticed that the device is gone. A device that registered later is
    /// active again.
    package var since: WallTime
    package init(token: String, since: WallTime) {
        self.token = token
        self.since = since
    }
}
