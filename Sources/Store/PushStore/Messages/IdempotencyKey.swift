internal import Crypto
internal import PushModel

/// What tells a request that is made again from another one: of a message, or of a delivery.
package struct IdempotencyKey: Hashable, Sendable {
    /// How long the answer is kept, in seconds.
    static let keptSeconds: Int64 = 86_400
    /// What was accepted then, in seconds since 1970, or before it is forgotten.
    static func firstKept(at now: WallTime) -> Int64 { now.secondsSince1970 - keptSeconds }

    /// Whose key it is: two callers may have the same one.
    package let scope: String
    package let key: String
    /// SHA-256 of what was asked.
    let body: [UInt8]
    /// SHA-256 of the form of it that earlier versions stored; nil: it is the same form.
    private let earlierBody: [UInt8]?

    /// - Parameters:
    ///   - body: the same for all ways of writing the same request.
    ///   - earlierForm: what an earlier version took for the body.
    package init(scope: String, key: String, body: [UInt8], earlierForm: [UInt8]? = nil) {
        self.scope = scope
        self.key = key
        self.body = Array(SHA256.hash(data: body))
        earlierBody = earlierForm.flatMap { $0 == body ? nil : Array(SHA256.hash(data: $0)) }
    }

    /// Whether a stored request is this one. One that an earlier version stored is so for a day after the upgrade, or
    /// while hosts of both versions run: a client that repeats it then must get its answer, not a conflict.
    func isSame(as stored: [UInt8]) -> Bool { stored == body || stored == earlierBody }
}
