/// The meaning of PushMTA's own reasons, which replace a gateway's reason if the gateway was never asked.
enum OwnReason {
    typealias Explanation = (meaning: String, advice: String?)

    /// Returns the explanation of a reason; `nil` if the reason is not PushMTA's own.
    static func explanation(of reason: String) -> Explanation? {
        all.first { reason == $0.word || $0.isPrefix && reason.hasPrefix($0.word) }.map {
            ($0.meaning, $0.advice)
        }
    }

    private static let all: [(word: String, isPrefix: Bool, meaning: String, advice: String?)] = [
        (
            "expired", false, "The validity of the message ended before it was sent",
            "Submit it again with a longer validity"
        ),
        ("stopped", false, "An operator stopped the delivery", "Submit a new delivery"),
        ("cancelled", false, "A caller cancelled the message", nil),
        (
            "(child lost)", false,
            "The process that was sending the message ended, and the settings do not permit another attempt",
            "Retry the failed messages of the delivery"
        ),
        (
            "subscription disabled", false,
            "A feedback service had reported that the app was removed from the device",
            "The device is included again when the app registers"
        ),
        (
            "in quarantine", false, "Deliveries exclude the device, because it is in quarantine",
            "The device is included again when the app registers, or when an operator releases it"
        ),
        (
            "opted out", false, "The person has opted out on this device",
            "The person is included again only if the person wants it"
        ),
        (
            "frequency cap", false,
            "The device had already received as many messages of the service as the frequency cap permits",
            "Raise the frequency cap of the service, or let the delivery ignore it"
        ),
        ("once per user", false, "The person receives this delivery on another device", nil),
        (
            "payload too long", true,
            "With the values of this person, the payload exceeds the limit of the gateway",
            "Shorten the texts of the content"
        ),
        (
            "no value for {{", true, "The content needs a value that the device does not have",
            "Give the placeholder a default value, or have the app register the parameter"
        ),
        (
            "its rows cannot be read", false, "The row of the message in the store is damaged",
            "Recount the delivery"
        ),
    ]
}
