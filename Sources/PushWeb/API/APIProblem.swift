internal import HTTPTypes
internal import Hummingbird
internal import PushOperations
internal import PushWire

/// Why a request of the API was not done, as RFC 9457 writes it. Nothing of what was sent stands in it but names.
struct APIProblem: Error {
    static let contentType = "application/problem+json"

    let status: HTTPResponse.Status
    /// One for each thing that is wrong; at least one.
    let lines: [String]
    var allowed: [HTTPRequest.Method] = []

    init(_ status: HTTPResponse.Status, _ lines: String...) { self.init(status, lines: lines) }

    init(_ status: HTTPResponse.Status, lines: [String]) {
        self.status = status
        self.lines = lines
    }

    /// The slots of this kind of request are taken.
    static let tooManyRequests = APIProblem(
        .serviceUnavailable, "too many requests of this kind are being answered; try again in a moment")

    init(of error: any Error) {
        self = error as? APIProblem ?? APIProblem(OperationError(error))
    }

    private init(_ error: OperationError) {
        lines = error.lines
        status =
            switch error.kind {
            case _ where error.isAbsence: .notFound
            case _ where error.isConflict: .conflict
            case .refused: .unprocessableContent
            case .usage: .badRequest
            case .unavailable: .serviceUnavailable
            case .failed, .cancelled: .internalServerError
            }
    }

    var response: Response { whole.response }

    var whole: WebAnswer {
        var bytes: [UInt8] = []
        JSONValue.object([
            JSONMember(key: "type", value: .string("about:blank")),
            JSONMember(key: "title", value: .string(status.reasonPhrase)),
            JSONMember(key: "status", value: .integer(Int64(status.code))),
            JSONMember(key: "detail", value: .string(lines.joined(separator: "; "))),
            JSONMember(key: "errors", value: .array(lines.map { .string($0) })),
        ]).append(to: &bytes)
        var answer = WebAnswer(status, bytes, Self.contentType)
        if status == .serviceUnavailable {
            answer.fields[.retryAfter] = "\(WebServer.Limits.retryAfterSeconds)"
        }
        if status == .tooManyRequests { answer.fields[.retryAfter] = "1" }
        if status == .unauthorized { answer.fields[.wwwAuthenticate] = "Bearer" }
        if !allowed.isEmpty {
            answer.fields[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
        }
        return answer
    }
}
