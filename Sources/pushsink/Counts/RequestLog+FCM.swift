/// The log of FCM: one line per message. A legacy request of several tokens has a line for each, whose
/// `ending` is the request's and whose `result` is the token's; its body stands in the first of them only.
extension RequestLog {
    package static let fcmColumns = [
        "at_ms", "connection", "stream", "ending", "status", "reason", "api", "result", "token",
        "validate_only", "body",
    ]

    func write(_ request: HTTPRequest, _ ending: Ending, _ mark: FCMMark, connection: Int) {
        begin(request, ending, connection: connection)
        column(text: "v1")
        column(text: ending == .accepted ? "accepted" : "-")
        column(mark.token(in: request.body))
        column(text: mark.validateOnly ? "yes" : "no")
        finish(body: request.body)
    }

    func write(_ request: HTTPRequest, _ ending: Ending, _ batch: LegacyBatch, connection: Int) {
        for (index, result) in batch.results.enumerated() {
            begin(request, ending, connection: connection)
            column(text: "legacy")
            switch result {
            case .accepted(_, let canonical): column(text: canonical == nil ? "accepted" : "canonical")
            case .error(let error): column(text: error)
            }
            column(batch.token(index, request.body))
            column(text: batch.dryRun ? "yes" : "no")
            finish(body: index == 0 ? request.body : Bytes(start: nil, count: 0))
        }
    }
}
