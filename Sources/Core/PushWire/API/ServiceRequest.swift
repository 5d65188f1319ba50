/// An API request that one process of an instance sends to another.
package struct ServiceRequest: Equatable, Sendable {
    /// The HTTP method, for example `POST`.
    package var method: String
    /// The path after `/api/v1`, and the query, both percent-encoded.
    package var target: String
    package var body: [UInt8]
    /// The value of `Idempotency-Key`.
    package var idempotencyKey: String?
    /// The numbers of the services to which the original caller is bound; `nil` if the caller is not bound.
    package var services: [Int64]?

    package init(_ method: String, _ target: String, body: [UInt8] = [], idempotencyKey: String? = nil) {
        (self.method, self.target, self.body) = (method, target, body)
        self.idempotencyKey = idempotencyKey
    }

    /// The prefix of all API paths.
    package static let root = "/api/v1"

    /// The header field that names the original caller when a process of the instance sends a request on that
    /// caller's behalf.
    package static let callerField = "PushMTA-Caller"

    /// The header field with the numbers of the services to which the original caller is bound.
    package static let servicesField = "PushMTA-Services"

    /// The value of ``servicesField``; `nil` if the original caller is not bound to services.
    package var servicesText: String? {
        // No service has the number 0.
        services.map { ($0.isEmpty ? [0] : $0).map(String.init).joined(separator: " ") }
    }

    /// Returns the numbers in a value of ``servicesField``; `nil` if the value is not valid.
    package static func services(in text: String) -> [Int64]? {
        let words = text.split(separator: " ")
        let numbers = words.compactMap { Int64($0) }
        return words.isEmpty || numbers.count < words.count ? nil : numbers
    }
}

/// The result of asking another process to perform a request.
package enum CarriedOut: Equatable, Sendable {
    case answer(ServiceReply)
    /// No master is running, or the master does not accept this request. Nothing was done, so the caller may
    /// perform the request itself.
    case notTaken
    /// A master is running but did not answer in time. Nothing was done.
    case silent
    /// The other process received the whole request, but the result is unknown.
    case unknown
}

/// The answer to a ``ServiceRequest``.
package struct ServiceReply: Equatable, Sendable {
    /// The status code.
    package var status: Int
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The problem code, which states why the request failed and on which clients base their decisions; `nil`
    /// if the request succeeded or the answer contains no code. See Docs/Send/API.md.
    package var code: String? {
        guard !isSuccess, case .string(let code)? = (try? JSONParser.parse(body))?["code"] else { return nil }
        return code
    }

    /// The problem code for a temporary problem that occurred before anything was done.
    package static let busy = "busy"
}
