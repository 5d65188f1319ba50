internal import PushModel

/// How long what describes a subscriber may be, in bytes of UTF-8. One of these travels with every message,
/// so none is generous.
package enum SubscriberLimits {
    /// Real ones have 64 (APNs, in hex) to about 250 characters (FCM); neither vendor promises a length.
    package static let tokenBytes = 4_096
    package static let userKeyBytes = 512
    /// All subscription parameters as one JSON object.
    package static let parametersBytes = ParameterText.maximumBytes
}
