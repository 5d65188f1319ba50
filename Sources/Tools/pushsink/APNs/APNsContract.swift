/// The requirements of Apple's documentation for a request, except the rules about who may send it. This is
/// an independent interpretation of the documentation.
///
/// Apple does not document which fault is reported if a request has several faults. Here the order of the
/// checks is: the route, the sender (in ``APNsRequestHandler``), the headers, the payload.
package struct APNsContract {
    /// Whether to check the payload's JSON and not only its size.
    package var checksPayload: Bool

    /// The accepted topics, each with its type. A request without a type may have any of these topics. If the
    /// list is empty, every topic is accepted.
    private let topics: [(type: APNsPushType, name: [UInt8])]

    /// `bundles`: the bundle ids for which notifications are accepted; empty for any bundle id.
    package init(bundles: [String], checksPayload: Bool = true) {
        self.checksPayload = checksPayload
        topics = APNsPushType.allCases.flatMap { type in
            bundles.map { (type, Array(($0 + type.topicSuffix).utf8)) }
        }
    }

    // MARK: Route

    /// Returns the fault of the method or path.
    package func faultOfRoute(_ request: HTTPRequest) -> APNsReason? {
        guard let method = request.value(.method), method.equals("POST") else { return .methodNotAllowed }
        guard let path = request.value(.path), path.starts(with: "/3/device") else { return .badPath }
        if path.count == 9 || path.count == 10 && path[9] == UInt8(ascii: "/") { return .missingDeviceToken }
        guard path[9] == UInt8(ascii: "/") else { return .badPath }
        return nil
    }

    // MARK: Headers and payload

    /// Returns the fault of the request, apart from faults of its route. `topic` is the topic of the client
    /// certificate, for requests that do not name a topic.
    package func fault(_ request: HTTPRequest, certificateTopic topic: String? = nil) -> APNsReason? {
        // The length of Apple's tokens may change ("do not assume"). An APNs token has a whole number of
        // bytes, and at least one.
        let token = request.deviceToken
        guard token.count > 0, token.count <= 200, Hex.isWhole(token) else { return .badDeviceToken }
        guard request.repeated == 0 else { return .duplicateHeaders }

        var type: APNsPushType?
        if let value = request.value(.pushType) {
            type = APNsPushType(value)
            if type == nil { return .invalidPushType }
        }
        if let fault = faultOfTopic(request.value(.topic), type, certificateTopic: topic) { return fault }
        if let fault = faultOfPriority(request.value(.priority), type) { return fault }
        if let value = request.value(.expiration), !Self.isDecimal(value) { return .badExpirationDate }
        if let value = request.value(.identifier), Hex.uuid(value) == nil { return .badMessageID }
        if let value = request.value(.collapse), value.count > 64 { return .badCollapseID }
        return faultOfPayload(request, type)
    }

    private func faultOfTopic(_ value: Bytes?, _ type: APNsPushType?, certificateTopic: String?)
        -> APNsReason?
    {
        guard let value, value.count > 0 else { return certificateTopic == nil ? .missingTopic : nil }
        if topics.isEmpty
            || topics.contains(where: { (type == nil || $0.type == type) && value.equals($0.name) })
        {
            guard let certificateTopic else { return nil }
            // A certificate is valid for its own app only.
            return value.text.hasPrefix(certificateTopic) ? nil : .topicDisallowed
        }
        return value.allSatisfy(Self.isTopicByte) ? .topicDisallowed : .badTopic
    }

    private func faultOfPriority(_ value: Bytes?, _ type: APNsPushType?) -> APNsReason? {
        if let value {
            if value.equals("5") { return nil }
            guard value.equals("10") || value.equals("1") else { return .badPriority }
        }
        // "If you omit this header, APNs sets the priority to 10", and for background "using 10 is an error".
        return type == .background ? .badPriority : nil
    }

    private func faultOfPayload(_ request: HTTPRequest, _ type: APNsPushType?) -> APNsReason? {
        guard request.bodyLength > 0 else { return .payloadEmpty }
        guard request.bodyLength <= (type ?? .alert).payloadLimit else { return .payloadTooLarge }
        guard checksPayload else { return nil }
        // Apple documents no separate reason for a payload that is not a JSON object with `aps`, so it is
        // reported like an empty payload. The body in the request log distinguishes the two cases.
        switch JSONShape(request.body) {
        case .object(let hasAPS): return hasAPS || type?.needsAPS == false ? nil : .payloadEmpty
        case .other, .malformed: return .payloadEmpty
        }
    }

    private static func isDecimal(_ bytes: Bytes) -> Bool {
        (1...19).contains(bytes.count)
            && bytes.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }

    private static func isTopicByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "._-".utf8.contains(byte)
    }
}

/// The values of `apns-push-type`, and what each value requires of its request.
///
/// Source: Apple, "Sending notification requests to APNs".
package enum APNsPushType: String, CaseIterable, Sendable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk,
        voip, widgets

    /// The part of the topic after the bundle id.
    package var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The maximum size of the payload in bytes.
    package var payloadLimit: UInt64 { self == .voip ? 5120 : 4096 }

    /// Whether the payload needs `aps`. The payloads of the two types that do not need `aps` have a different
    /// form.
    package var needsAPS: Bool { self != .mdm && self != .fileprovider }

    init?(_ bytes: Bytes) {
        // Nearly every request has this type.
        if bytes.equals("alert") { self = .alert } else { self.init(rawValue: bytes.text) }
    }
}

/// The reasons, with their statuses, of the errors that this gateway detects by itself.
///
/// Source: Apple, "Handling notification responses from APNs". Reasons that depend on the state of a device
/// (Unregistered, TooManyRequests …) come from rules.
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
