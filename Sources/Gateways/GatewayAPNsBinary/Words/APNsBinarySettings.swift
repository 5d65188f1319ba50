package import PushWire

/// The settings that a child needs for an account that uses the binary gateway.
package struct APNsBinarySettings: ConnectorSettings {
    /// Overrides the host of the feedback service; empty for no override.
    package var feedbackAddress = ""
    package var feedbackPort = 2_196
    /// The silence after which a frame counts as accepted, in seconds.
    package var confirmAfterSeconds = 5
    /// The maximum number of frames that have been sent and do not count as accepted yet.
    package var unconfirmedFrames = 100_000
    /// The maximum size of a payload that the gateway accepts, in bytes.
    package var maxPayloadBytes = APNsBinaryRequest.usualPayloadBytes

    package init() {}

    package static let fields = Fields(
        Self(),
        [
            Field("feedbackAddress", \.feedbackAddress, .anyText),
            Field("feedbackPort", \.feedbackPort, .count),
            Field("confirmAfterSeconds", \.confirmAfterSeconds, .count),
            Field("unconfirmedFrames", \.unconfirmedFrames, .count),
            Field("maxPayloadBytes", \.maxPayloadBytes, .count),
        ])
}
