/// The parts of a request that APNs looks at, in the order in which the engine numbers them.
package enum APNsField: Int, CaseIterable, Sendable {
    case method, path, authorization, topic, pushType, priority, expiration, identifier, collapse

    package var name: String {
        switch self {
        case .method: ":method"
        case .path: ":path"
        case .authorization: "authorization"
        case .topic: "apns-topic"
        case .pushType: "apns-push-type"
        case .priority: "apns-priority"
        case .expiration: "apns-expiration"
        case .identifier: "apns-id"
        case .collapse: "apns-collapse-id"
        }
    }
}

extension HTTPRequest {
    @inline(__always)
    package func value(_ field: APNsField) -> Bytes? { value(field.rawValue) }

    /// The last part of the path, wherever the request got to; empty where there is none.
    var deviceToken: Bytes {
        guard let path = value(.path), path.starts(with: "/3/device/") else {
            return Bytes(start: nil, count: 0)
        }
        return path.from(10)
    }
}
