internal import PushCrypto
internal import PushModel

/// The identity of a request for a message or a delivery, which distinguishes a repeated request from a new
/// one.
package struct IdempotencyKey: Hashable, Sendable {
    /// The time for which an answer is kept, in seconds.
    static let keptSeconds: Int64 = 86_400
    /// Returns the time, in seconds since 1970, at or before which accepted requests are forgotten.
    static func firstKept(at now: WallTime) -> Int64 { now.secondsSince1970 - keptSeconds }

    /// The owner of the key. Two callers may use the same key.
    package let scope: String
    package let key: String
    /// The SHA-256 digest of the request.
    let body: [UInt8]
    /// The SHA-256 digest of the form that earlier versions stored; `nil` if it is the same form.
    private let earlierBody: [UInt8]?

    /// - Parameters:
    ///   - body: The canonical form, which is the same for all ways of writing the same request.
    ///   - earlierForm: The form that an earlier version used as the body.
    package init(scope: String, key: String, body: [UInt8], earlierForm: [UInt8]? = nil) {
        self.scope = scope
        self.key = key
        self.body = SHA256.digest(of: body)
        earlierBody = earlierForm.flatMap { $0 == body ? nil : SHA256.digest(of: $0) }
    }

    /// Reports whether a stored request is this one. The form of an earlier version can occur for one day
    /// after an upgrade, or while hosts of both versions run. A client that repeats such a request must
    /// receive its answer, not a conflict.
    func isSame(as stored: [UInt8]) -> Bool { stored == body || stored == earlierBody }
}
