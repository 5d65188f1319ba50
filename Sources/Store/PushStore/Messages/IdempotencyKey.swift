internal import PushCrypto
internal import PushModel

/// The identity of a request for a message or a delivery. It distinguishes a repeated request from a new one.
package struct IdempotencyKey: Hashable, Sendable {
    /// The time for which an answer is kept, in seconds.
    static let keptSeconds: Int64 = 86_400
    /// Returns a time in seconds since 1970. Requests that were accepted at this time or earlier are
    /// forgotten.
    static func firstKept(at now: WallTime) -> Int64 { now.secondsSince1970 - keptSeconds }

    /// The owner of the key. Callers with different scopes may use the same key.
    package let scope: String
    package let key: String
    /// The SHA-256 digest of the request.
    let body: [UInt8]
    /// The SHA-256 digest of the request in the form that earlier versions used; `nil` if the two forms are
    /// the same.
    private let earlierBody: [UInt8]?

    /// - Parameters:
    ///   - body: The request in its canonical form, which is the same for all ways of writing the same
    ///     request.
    ///   - earlierForm: The form that an earlier version used as the body.
    package init(scope: String, key: String, body: [UInt8], earlierForm: [UInt8]? = nil) {
        self.scope = scope
        self.key = key
        self.body = SHA256.digest(of: body)
        earlierBody = earlierForm.flatMap { $0 == body ? nil : SHA256.digest(of: $0) }
    }

    /// Reports whether a stored request is this one. The form of an earlier version can occur for one day
    /// after an upgrade, or while hosts of both versions run. A client that repeats such a request must
    /// receive the original answer, not a conflict.
    func isSame(as stored: [UInt8]) -> Bool { stored == body || stored == earlierBody }
}
