/// A request to the API of a service, as one process of an instance sends it to another.
package struct ServiceRequest: Equatable, Sendable {
    /// `POST`.
    package var method: String
    /// The path behind `/api/v1`, and the query, percent-encoded.
    package var target: String
    package var body: [UInt8]
    /// `Idempotency-Key`.
    package var idempotencyKey: String?

    package init(_ method: String, _ target: String, body: [UInt8] = [], idempotencyKey: String? = nil) {
        (self.method, self.target, self.body) = (method, target, body)
        self.idempotencyKey = idempotencyKey
    }

    /// Where the paths of the API begin.
    package static let root = "/api/v1"

    /// The header field that names the caller for whom another process of the instance asks.
    package static let callerField = "PushMTA-Caller"
}

/// What became of a request that another process was asked to perform.
package enum CarriedOut: Equatable, Sendable {
    case answer(ServiceReply)
    /// Nothing was done, so whoever asked may do it: no master runs, or it does not take this request.
    case notTaken
    /// Nothing was done: there is a master, and it did not answer in time.
    case silent
    /// The whole request was received, and nobody said what became of it.
    case unknown
}

/// The answer to an ``ServiceRequest``.
package struct ServiceReply: Equatable, Sendable {
    /// The status code.
    package var status: Int
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The code of a problem: what clients decide by. See Docs/API.md.
    package var code: String? {
        guard !isSuccess, case .string(let code)? = (try? JSONParser.parse(body))?["code"] else { return nil }
        return code
    }

    /// The code of a problem that ends by itself in a moment, before anything was done.
    package static let busy = "busy"
}
