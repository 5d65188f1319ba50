package import PushWire

/// What a child needs to know of an account of the binary gateway.
package struct APNsBinarySettings: ConnectorSettings {
    /// Overrides the host of the feedback service; empty for none.
    package var feedbackAddress = ""
    package var feedbackPort = 2_196
    /// Silence after which a frame counts as accepted.
    package var confirmAfterSeconds = 5
    /// Frames that may wait for that silence.
    package var unconfirmedFrames = 100_000

    package init() {}

    package static let fields = Fields(
        Self(),
        [
            Field("feedbackAddress", \.feedbackAddress, .anyText),
            Field("feedbackPort", \.feedbackPort, .count),
            Field("confirmAfterSeconds", \.confirmAfterSeconds, .count),
            Field("unconfirmedFrames", \.unconfirmedFrames, .count),
        ])
}
