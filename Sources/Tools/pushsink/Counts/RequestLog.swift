internal import Glibc

/// A log with one line per request, which is added when the request ends. Columns are separated by tabs, and
/// the first line names them.
///
/// The body is the last column. The body is unchanged, except that line feeds become spaces. It can still be
/// read as JSON, because line feeds in JSON can only be white space. An empty column is `-`. The log is
/// written when the buffer contains a quarter of a megabyte, once per second, and at the end.
final class RequestLog {
    private static let commonColumns = ["at_ms", "connection", "stream", "ending", "status", "reason"]
    static let apnsColumns = [
        "token", "apns_id", "topic", "push_type", "priority", "expiration", "collapse_id", "body",
    ]
    /// One line per message. A legacy request with several tokens has one line for each token. Its `ending`
    /// is the ending of the request, and its `result` is the result for the token. Only the first of these
    /// lines contains the body.
    static let fcmColumns = ["api", "result", "token", "validate_only", "body"]
    /// One line per message. Only the first line of a request contains its body.
    static let customColumns = ["http", "verdict", "token", "id", "body"]
    /// One line per notification that the gateway examined. `stream` is the number of the notification within
    /// its connection, and `status` is the status of the error packet (0 if no packet was sent). The
    /// notification that a shutdown names is accepted.
    static let binaryColumns = [
        "api", "command", "identifier", "token", "expiration", "priority", "body",
    ]

    private let file: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private static let full = 256 * 1024
    /// The error that occurred when the log could not be written; `nil` if there is none. The sink reports it
    /// immediately, because a log with gaps is worse than none.
    private(set) var failure: SinkError?

    /// `columns`: the names of the columns that follow the columns that all logs have. Returns `nil` if no
    /// log was requested.
    init?(file: String?, columns: [String]) throws(SinkError) {
        guard let file else { return nil }
        self.file = file
        descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Files.unwritable(file) }
        buffer.reserveCapacity(Self.full + 32 * 1024)
        buffer.append(contentsOf: "#\((Self.commonColumns + columns).joined(separator: "\t"))\n".utf8)
    }

    deinit { close(descriptor) }

    // MARK: Lines

    func write(_ request: HTTPRequest, _ ending: RequestOutcome, connection: Int) {
        begin(request, ending, connection: connection)
        column(request.deviceToken)
        column(request.value(.identifier))
        column(request.value(.topic))
        column(request.value(.pushType))
        column(request.value(.priority))
        column(request.value(.expiration))
        column(request.value(.collapse))
        finish(body: request.body)
    }

    func write(_ request: HTTPRequest, _ ending: RequestOutcome, _ mark: FCMMark, connection: Int) {
        begin(request, ending, connection: connection)
        column(text: "v1")
        column(text: ending == .accepted ? "accepted" : "-")
        column(request.part)
        column(text: mark.contains(.validateOnly) ? "yes" : "no")
        finish(body: request.body)
    }

    func write(_ request: HTTPRequest, _ ending: RequestOutcome, _ batch: LegacyBatch, connection: Int) {
        for (index, result) in batch.results.enumerated() {
            begin(request, ending, connection: connection)
            column(text: "legacy")
            switch result {
            case .accepted(_, let canonical): column(text: canonical == nil ? "accepted" : "canonical")
            case .error(let error): column(text: error)
            }
            column(batch.token(index, request.body))
            column(text: batch.dryRun ? "yes" : "no")
            finish(body: index == 0 ? request.body : .empty)
        }
    }

    func write(_ request: HTTPRequest, _ ending: RequestOutcome, _ batch: CustomBatch, _ caller: Caller) {
        for (index, message) in batch.messages.enumerated() {
            begin(request, ending, connection: caller.connection)
            column(text: caller.choseHTTP2 ? "2" : "1.1")
            column(text: message.verdict)
            Array(message.token.utf8).withUnsafeBufferPointer { column($0) }
            column(text: message.id)
            finish(body: index == 0 ? request.body : .empty)
        }
    }

    func write(
        _ frame: BinaryFrame, _ device: Bytes?, _ ending: RequestOutcome, _ status: BinaryStatus?,
        number: Int,
        connection: Int
    ) {
        begin(number, ending, status: Int(status?.code ?? 0), status?.text ?? "-", connection: connection)
        column(text: "binary")
        self.number(Int(frame.command))
        column(number: frame.identifier)
        column(device)
        column(number: frame.expiration)
        column(number: frame.priority)
        finish(body: frame.payload ?? .empty)
    }

    // MARK: Columns

    private func begin(_ request: HTTPRequest, _ ending: RequestOutcome, connection: Int) {
        let stream = Int(request.stream)
        switch ending {
        case .accepted: begin(stream, ending, status: 200, connection: connection)
        case .rejected(let rejection):
            begin(stream, ending, status: rejection.status, rejection.reason, connection: connection)
        default: begin(stream, ending, status: 0, connection: connection)
        }
    }

    private func begin(
        _ stream: Int, _ ending: RequestOutcome, status: Int, _ reason: String = "-", connection: Int
    ) {
        number(Int(wallMilliseconds()))
        number(connection)
        number(stream)
        ending.name.withUTF8Buffer { column($0) }
        number(status)
        column(text: reason)
    }

    private func finish(body: Bytes) {
        let start = buffer.count
        buffer.append(contentsOf: body)
        if body.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            for index in start..<buffer.count where buffer[index] == 0x0A || buffer[index] == 0x0D {
                buffer[index] = 0x20
            }
        }
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.full { flush() }
    }

    private func number(_ value: Int) {
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var at = digits.count
            var rest = value
            repeat {
                at -= 1
                digits[at] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            buffer.append(contentsOf: digits[at...])
        }
        buffer.append(UInt8(ascii: "\t"))
    }

    private func column(number: (some BinaryInteger)?) {
        if let number { self.number(Int(number)) } else { column(nil) }
    }

    private func column(_ value: Bytes?) {
        if let value, value.count > 0 {
            for byte in value { buffer.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: "?") : byte) }
        } else {
            buffer.append(UInt8(ascii: "-"))
        }
        buffer.append(UInt8(ascii: "\t"))
    }

    private func column(text: String) {
        buffer.append(contentsOf: text.utf8)
        buffer.append(UInt8(ascii: "\t"))
    }

    /// Hands the buffered lines to the operating system.
    func flush() {
        if failure == nil, !Files.write(buffer, to: descriptor) {
            let error = Files.unwritable(file)
            failure = error
            Terminal.complain("\(error); the log ends here")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
