/// The parts of a request that FCM and its OAuth endpoint look at.
package enum FCMField: Int, CaseIterable, Sendable {
    case method, path, authorization

    package var name: String {
        switch self {
        case .method: ":method"
        case .path: ":path"
        case .authorization: "authorization"
        }
    }
}

extension HTTPRequest {
    @inline(__always)
    package func value(google field: FCMField) -> Bytes? { value(field.rawValue) }
}
