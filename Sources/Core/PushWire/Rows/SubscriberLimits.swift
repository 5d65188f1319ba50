internal import PushModel

/// The maximum lengths of a subscriber's data, in bytes of UTF-8. Every message carries this data for one
/// subscriber, so none of the limits is generous.
package enum SubscriberLimits {
    /// Real tokens have from 64 characters (APNs, in hex) to about 250 (FCM). Neither vendor guarantees a
    /// length.
    package static let tokenBytes = 4_096
    package static let userKeyBytes = 512
    /// Facts about a device, in characters (``RegistrationForm/factCharacters``).
    static let languageWords = "at most \(RegistrationForm.factCharacters) printable characters"
    /// Reports whether a text could be the language of a registration.
    static func acceptsLanguage(_ text: String) -> Bool {
        text.printable(atMost: RegistrationForm.factCharacters) == text
    }
    /// All subscription parameters as one JSON object.
    package static let parametersBytes = ParameterText.maximumBytes
}
