/// An API request that one process of an instance sends to another.
package struct ServiceRequest: Equatable, Sendable {
    /// The HTTP method, for example `POST`.
    package var method: String
    /// The path after `/api/v1` and the query, percent-encoded.
    package var target: String
    package var body: [UInt8]
    /// The value of `Idempotency-Key`.
    package var idempotencyKey: String?

    package init(_ method: String, _ target: String, body: [UInt8] = [], idempotencyKey: String? = nil) {
        (self.method, self.target, self.body) = (method, target, body)
        self.idempotencyKey = idempotencyKey
    }

    /// The beginning of all API paths.
    package static let root = "/api/v1"

    /// A header field that names the caller, if a process of the instance sends the request on the caller's
    /// behalf.
    package static let callerField = "PushMTA-Caller"
}

/// The result of asking another process to perform a request.
package enum CarriedOut: Equatable, Sendable {
    case answer(ServiceReply)
    /// Nothing was done, so the caller may perform the request itself: no master is running, or the master
    /// does not accept this request.
    case notTaken
    /// Nothing was done: there is a master, but it did not answer in time.
    case silent
    /// The whole request was received, but its result is unknown.
    case unknown
}

/// The answer to a ``ServiceRequest``.
package struct ServiceReply: Equatable, Sendable {
    /// The status code.
    package var status: Int
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The code of a problem, on which clients base their decisions. See Docs/Send/API.md.
    package var code: String? {
        guard !isSuccess, case .string(let code)? = (try? JSONParser.parse(body))?["code"] else { return nil }
        return code
    }

    /// The code of a problem that occurred before anything was done and that will soon be over.
    package static let busy = "busy"
}
