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
    /// What programs decide by.
    let code: String
    var allowed: [HTTPRequest.Method] = []

    init(_ status: HTTPResponse.Status, _ lines: String...) { self.init(status, lines: lines) }

    /// - Parameter code: nil: that of the status, such as `notFound`.
    init(_ status: HTTPResponse.Status, lines: [String], code: String? = nil) {
        self.status = status
        self.lines = lines
        self.code = code ?? Self.code(of: status)
    }

    private static func code(of status: HTTPResponse.Status) -> String {
        let words = status.reasonPhrase.split { !$0.isLetter }.map { $0.lowercased() }
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The slots of this kind of request are taken.
    static let tooManyRequests = APIProblem(
        .serviceUnavailable,
        lines: ["too many requests of this kind are being answered; try again in a moment"],
        code: ServiceReply.busy)

    init(of error: any Error) {
        self = error as? APIProblem ?? APIProblem(OperationError(error))
    }

    private init(_ error: OperationError) {
        let status: HTTPResponse.Status =
            switch error.kind {
            case .absent, .nobody: .notFound
            case .conflict: .conflict
            case .refused: .unprocessableContent
            case .usage: .badRequest
            case .unavailable: .serviceUnavailable
            case .failed, .cancelled: .internalServerError
            }
        self.init(status, lines: error.lines, code: error.kind.rawValue)
    }

    var response: Response { whole.response }

    var whole: WebAnswer {
        var bytes: [UInt8] = []
        let problem = Problem(status: status.code, title: status.reasonPhrase, code: code, errors: lines)
        (problem.json ?? .null).append(to: &bytes)
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
