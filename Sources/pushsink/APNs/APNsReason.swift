/// What APNs gives as the reason of an error that this gateway finds by itself, with its status.
///
/// Source: Apple, "Handling notification responses from APNs". Reasons that depend on the state of a device
/// (Unregistered, TooManyRequests …) are the business of rules.
package enum APNsReason: String, CaseIterable, Sendable {
    case badCertificate = "BadCertificate"
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPath = "BadPath"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case invalidPushType = "InvalidPushType"
    case methodNotAllowed = "MethodNotAllowed"
    case missingDeviceToken = "MissingDeviceToken"
    case missingProviderToken = "MissingProviderToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case topicDisallowed = "TopicDisallowed"

    package var status: Int {
        switch self {
        case .badCertificate, .expiredProviderToken, .invalidProviderToken, .missingProviderToken: 403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates: 429
        default: 400
        }
    }

    package var rejection: Rejection { Rejection(status: status, reason: rawValue) }
}
