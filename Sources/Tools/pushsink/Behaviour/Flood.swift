/// Data that a gateway sends endlessly, without an answer, to keep a client busy.
package enum Flood: String, CaseIterable, Sendable {
    /// Interim responses (103) to the request.
    case interim
    /// The answer's body, one byte per frame.
    case crumbs
    /// DATA frames without bytes.
    case emptyData = "empty-data"
    /// Header blocks in which each byte stands for a field of 4000 bytes (RFC 7541, section 4: the dynamic
    /// table).
    case headerBomb = "header-bomb"
    case pingFlood = "ping-flood"
    /// SETTINGS frames without entries.
    case settingsFlood = "settings-flood"

    /// The maximum number of bytes in a burst. There are up to a thousand bursts per second.
    static let burst = 32 << 10
    static let between = Instant.Span.milliseconds(1)

    /// Returns the HTTP/2 frames that are sent first, and the frames that are then repeated.
    func frames(on stream: Int32) -> (first: [UInt8], again: [UInt8]) {
        // `:status` 103 as a literal that is not indexed, with the name from entry 8 of the static table,
        // which is `:status` 200.
        let interim: [UInt8] = [0x08, 0x03] + Array("103".utf8)
        let ok: [UInt8] = [0x88]
        switch self {
        case .interim: return ([], Self.frame(1, flags: 0x4, stream, interim))
        case .crumbs: return (Self.frame(1, flags: 0x4, stream, ok), Self.frame(0, flags: 0, stream, [0x20]))
        case .emptyData: return (Self.frame(1, flags: 0x4, stream, ok), Self.frame(0, flags: 0, stream, []))
        case .headerBomb:
            // "x-bomb" with 4000 bytes fits into the table of 4096 bytes (each entry counts 32 more). After
            // its insertion, it is entry 62.
            let entry =
                [0x40, 0x06] + Array("x-bomb".utf8) + [0x7F, 0xA1, 0x1E]
                + [UInt8](repeating: 0x61, count: 4000)
            let bomb = interim + [UInt8](repeating: 0xBE, count: 12_000)
            return (
                Self.frame(1, flags: 0x4, stream, interim + entry + bomb.dropFirst(interim.count)),
                Self.frame(1, flags: 0x4, stream, bomb)
            )
        case .pingFlood: return ([], Self.frame(6, flags: 0, 0, Array("pushsink".utf8)))
        case .settingsFlood: return ([], Self.frame(4, flags: 0, 0, []))
        }
    }

    /// The texts that are sent first and repeatedly over HTTP/1.1; `nil` if the flood has no equivalent in
    /// HTTP/1.1, in which case the gateway is silent.
    var text: (first: String, again: String)? {
        switch self {
        case .interim: ("", "HTTP/1.1 103 Early Hints\r\n\r\n")
        case .crumbs: ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\n \r\n")
        case .emptyData: ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;", "ext;")
        case .headerBomb: ("HTTP/1.1 200 OK\r\n", "x-bomb: \(String(repeating: "a", count: 1000))\r\n")
        case .pingFlood, .settingsFlood: nil
        }
    }

    private static func frame(_ type: UInt8, flags: UInt8, _ stream: Int32, _ payload: [UInt8]) -> [UInt8] {
        func big(_ number: Int32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return big(Int32(payload.count)).dropFirst() + [type, flags] + big(stream) + payload
    }
}

/// A ``Flood`` in progress: it produces bytes for as long as the connection takes them, one burst at a time.
struct FloodSource {
    private var first: [UInt8]
    private let again: [UInt8]
    private var place = 0
    private var left = Flood.burst

    init(first: [UInt8], again: [UInt8]) { (self.first, self.again) = (first, again) }

    /// Allows the next burst.
    mutating func refill() { left = Flood.burst }

    mutating func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var count = 0
        while count < room.count, left > 0 {
            let source = first.isEmpty ? again : first
            room[count] = source[place]
            (count, place, left) = (count + 1, place + 1, left - 1)
            guard place == source.count else { continue }
            place = 0
            first = []
        }
        return count
    }
}
