internal import Glibc

/// One line per request, at its ending: tab-separated columns, named by the first line.
///
/// The body is the last column and stands there as it was sent, so that it can be read as JSON; line feeds in
/// it, which in JSON can only be white space, become spaces. An empty column is `-`. Written when a quarter
/// of a megabyte is full, once a second and at the end.
package final class RequestLog {
    package static let columns = [
        "at_ms", "connection", "stream", "ending", "status", "reason", "token", "apns_id", "topic",
        "push_type",
        "priority", "expiration", "collapse_id", "body",
    ]

    private let file: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private static let full = 256 * 1024
    /// Set once the disk would not take it; told at once, as a log with holes is worse than none.
    package private(set) var failure: SinkError?

    /// `columns`: the names for the first line.
    package init(file: String, columns: [String] = RequestLog.columns) throws(SinkError) {
        self.file = file
        descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SinkError(.unwritable(file: file, why: String(cString: strerror(errno))))
        }
        buffer.reserveCapacity(Self.full + 32 * 1024)
        buffer.append(UInt8(ascii: "#"))
        buffer.append(contentsOf: columns.joined(separator: "\t").utf8)
        buffer.append(UInt8(ascii: "\n"))
    }

    deinit { close(descriptor) }

    package func write(_ request: HTTPRequest, _ ending: Ending, connection: Int) {
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

    /// The columns that every log of a gateway over HTTP has.
    func begin(_ request: HTTPRequest, _ ending: Ending, connection: Int) {
        begin(stream: Int(request.stream), ending, connection: connection)
        switch ending {
        case .accepted:
            number(200)
            column(nil)
        case .rejected(let rejection):
            number(rejection.status)
            buffer.append(contentsOf: rejection.reason.utf8)
            buffer.append(UInt8(ascii: "\t"))
        default:
            number(0)
            column(nil)
        }
    }

    /// The first four of them.
    func begin(stream: Int, _ ending: Ending, connection: Int) {
        number(Int(wallMilliseconds()))
        number(connection)
        number(stream)
        ending.name.withUTF8Buffer { column($0) }
    }

    func finish(body: Bytes) {
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

    func number(_ value: Int) {
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

    func column(_ value: Bytes?) {
        if let value, value.count > 0 {
            for byte in value { buffer.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: "?") : byte) }
        } else {
            buffer.append(UInt8(ascii: "-"))
        }
        buffer.append(UInt8(ascii: "\t"))
    }

    func column(text: String) {
        buffer.append(contentsOf: text.utf8)
        buffer.append(UInt8(ascii: "\t"))
    }

    /// Hands everything to the system.
    package func flush() {
        guard failure == nil else {
            buffer.removeAll(keepingCapacity: true)
            return
        }
        var sent = 0
        while sent < buffer.count {
            let count = buffer.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + sent, $0.count - sent)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                failure = SinkError(.unwritable(file: file, why: String(cString: strerror(errno))))
                Terminal.complain("\(failure!); the log ends here")
                break
            }
            sent += count
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
