internal import HTTPTypes
internal import Hummingbird
internal import PushAPI
internal import PushWire

/// The reason why an API request was not carried out, in the format of RFC 9457. It contains names from the
/// request, but nothing else that the client sent.
struct APIProblem: Error {
    static let contentType = "application/problem+json"

    let code: ProblemCode
    /// The error texts, each in one line. There is at least one.
    let lines: [String]
    /// The errors that concern a member of the request.
    let faults: [Fault]
    var allowed: [HTTPRequest.Method] = []

    var status: HTTPResponse.Status { Self.status(of: code) }

    static func status(of code: ProblemCode) -> HTTPResponse.Status {
        statuses.first { $0.code == code.status } ?? HTTPResponse.Status(code: code.status)
    }

    /// The statuses with their reason phrases.
    private static let statuses: [HTTPResponse.Status] = [
        .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .conflict, .preconditionFailed,
        .contentTooLarge, .unsupportedMediaType, .unprocessableContent, .tooManyRequests,
        .internalServerError,
        .serviceUnavailable,
    ]

    init(_ code: ProblemCode, _ lines: String...) {
        (self.code, self.lines, faults) = (code, lines, [])
    }

    /// The problem that is returned while all slots for this kind of request are taken.
    static let tooManyRequests = APIProblem(
        .busy, "too many requests of this kind are being answered; try again in a moment")

    init(of error: any Error) {
        self = error as? APIProblem ?? APIProblem(OperationError(error))
    }

    private init(_ error: OperationError) {
        (code, lines, faults) = (
            error.kind.code, LocalCaller.name == nil ? error.apiLines : error.lines, error.faults
        )
    }

    var response: Response { whole.response }

    var whole: WebAnswer {
        var bytes: [UInt8] = []
        let problem = Problem(code, title: status.reasonPhrase, errors: lines, faults: faults)
        (problem.json ?? .null).append(to: &bytes)
        var answer = WebAnswer(status, bytes, Self.contentType)
        if code.status == 503 {
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
