/// One notification in the old gateway's framing, as a view on memory that it does not own.
///
/// Source: Apple documentation archive, "Binary Provider API" (command 2) and "Legacy Notification Format"
/// (commands 0 and 1). All integers are big-endian.
package struct BinaryFrame {
    package var command: UInt8
    /// The binary token, not its digits; `nil` if it was not sent.
    package var token: Bytes?
    package var payload: Bytes?
    /// The identifier that an error packet names; `nil` if the frame has no identifier, in which case the
    /// packet contains 0.
    package var identifier: UInt32?
    /// The expiration, in seconds since 1970.
    package var expiration: UInt32?
    package var priority: UInt8?

    package init(command: UInt8) { self.command = command }
}

/// The result of decoding the next bytes of a connection.
package enum BinaryReading {
    /// A notification, and the number of bytes that it takes.
    case whole(BinaryFrame, Int)
    /// The beginning of a notification.
    case partial
    /// Bytes in which the end of the frame cannot be determined. The values are the status of the error, and
    /// the part of the frame that was understood.
    case broken(BinaryStatus, BinaryFrame)

    /// The maximum length of a frame whose end the gateway waits for. It is far more than the items of a
    /// frame can need, so a frame with a greater length is invalid. If only an item is too long, the status
    /// names that item.
    package static let maxFrameBytes = 65_536

    package init(_ bytes: Bytes) {
        guard let command = bytes.first else {
            self = .partial
            return
        }
        switch command {
        case 0, 1: self = Self.simple(bytes, command)
        case 2: self = Self.items(bytes)
        default: self = .broken(.protocolError, BinaryFrame(command: command))
        }
    }

    /// Reads commands 0 and 1. Only the lengths in such a frame determine its end. An impossible length is
    /// reported before the rest of the frame has arrived.
    private static func simple(_ bytes: Bytes, _ command: UInt8) -> BinaryReading {
        var frame = BinaryFrame(command: command)
        var at = 1
        if command == 1 {
            guard bytes.count >= 9 else { return .partial }
            frame.identifier = bytes.integer32(at: 1)
            frame.expiration = bytes.integer32(at: 5)
            at = 9
        }
        guard bytes.count >= at + 2 else { return .partial }
        let tokenCount = bytes.integer16(at: at)
        guard BinaryContract.tokenSizes.contains(tokenCount) else { return .broken(.invalidTokenSize, frame) }
        at += 2
        guard bytes.count >= at + tokenCount else { return .partial }
        frame.token = Bytes(rebasing: bytes[at..<at + tokenCount])
        at += tokenCount
        guard bytes.count >= at + 2 else { return .partial }
        let payloadCount = bytes.integer16(at: at)
        guard BinaryContract.payloadSizes.contains(payloadCount) else {
            return .broken(.invalidPayloadSize, frame)
        }
        at += 2
        guard bytes.count >= at + payloadCount else { return .partial }
        frame.payload = Bytes(rebasing: bytes[at..<at + payloadCount])
        return .whole(frame, at + payloadCount)
    }

    /// Reads command 2. A frame cannot be parsed if an item is not defined by Apple, occurs twice, has a
    /// wrong length or extends beyond the frame.
    private static func items(_ bytes: Bytes) -> BinaryReading {
        var frame = BinaryFrame(command: 2)
        guard bytes.count >= 5 else { return .partial }
        let length = Int(bytes.integer32(at: 1))
        guard length <= maxFrameBytes else { return .broken(.protocolError, frame) }
        let end = 5 + length
        guard bytes.count >= end else { return .partial }
        var at = 5
        while at < end {
            guard end - at >= 3 else { return .broken(.protocolError, frame) }
            let id = bytes[at]
            let count = bytes.integer16(at: at + 1)
            at += 3
            guard end - at >= count, frame.take(id, Bytes(rebasing: bytes[at..<at + count])) else {
                return .broken(.protocolError, frame)
            }
            at += count
        }
        return .whole(frame, end)
    }
}

extension BinaryFrame {
    /// Takes an item: 1 token, 2 payload, 3 identifier, 4 expiration, 5 priority. Returns false if the item
    /// is not valid.
    fileprivate mutating func take(_ id: UInt8, _ item: Bytes) -> Bool {
        switch (id, item.count) {
        case (1, _) where token == nil: token = item
        case (2, _) where payload == nil: payload = item
        case (3, 4) where identifier == nil: identifier = item.integer32(at: 0)
        case (4, 4) where expiration == nil: expiration = item.integer32(at: 0)
        case (5, 1) where priority == nil && (item[0] == 5 || item[0] == 10): priority = item[0]
        default: return false
        }
        return true
    }
}

extension Bytes {
    @inline(__always)
    fileprivate func integer16(at index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }

    @inline(__always)
    fileprivate func integer32(at index: Int) -> UInt32 {
        UInt32(self[index]) << 24 | UInt32(self[index + 1]) << 16 | UInt32(self[index + 2]) << 8
            | UInt32(self[index + 3])
    }
}

/// Decodes the bytes of a connection, which may be split at any position, into notifications.
package struct BinaryDecoder {
    /// The beginning of a notification whose end has not arrived yet.
    private var carried: [UInt8] = []

    package init() {}

    /// Whether the bytes so far end between two notifications and not within one.
    package var isBetweenFrames: Bool { carried.isEmpty }

    /// Passes each reading to `each`, in order, until `each` returns false or a reading is
    /// ``BinaryReading/broken(_:_:)``. All bytes after that reading are discarded. A frame is valid only
    /// during the call.
    package mutating func feed(_ bytes: Bytes, _ each: (BinaryReading) -> Bool) {
        if carried.isEmpty {
            let used = Self.read(bytes, each)
            if used < bytes.count { carried.append(contentsOf: Bytes(rebasing: bytes[used...])) }
        } else {
            carried.append(contentsOf: bytes)
            carried.removeFirst(carried.withUnsafeBufferPointer { Self.read($0, each) })
        }
    }

    /// Returns the number of bytes that have been processed.
    private static func read(_ bytes: Bytes, _ each: (BinaryReading) -> Bool) -> Int {
        var used = 0
        while used < bytes.count {
            let reading = BinaryReading(Bytes(rebasing: bytes[used...]))
            switch reading {
            case .partial: return used
            case .whole(_, let count):
                used += count
                guard each(reading) else { return bytes.count }
            case .broken:
                _ = each(reading)
                return bytes.count
            }
        }
        return used
    }
}

/// The requirements of Apple's documentation for a notification in the old framing.
///
/// Undocumented cases are decided here: a payload that is not JSON cannot be parsed (128), and JSON without a
/// dictionary `aps` is not a payload (4). The limit of 256 bytes that commands 0 and 1 had in their first
/// years is not enforced.
package struct BinaryContract: Sendable {
    /// Tokens have 32 bytes. According to Apple, future tokens "should be at most 100".
    package static let tokenSizes = 32...100
    package static let payloadSizes = 1...2048

    /// Whether to check the payload's JSON and not only its size.
    package var checksPayload: Bool

    package init(checksPayload: Bool = true) { self.checksPayload = checksPayload }

    /// Returns the fault of a notification; `nil` if it is valid.
    package func fault(of frame: BinaryFrame) -> BinaryStatus? {
        guard let token = frame.token else { return .missingToken }
        guard Self.tokenSizes.contains(token.count) else { return .invalidTokenSize }
        guard let payload = frame.payload else { return .missingPayload }
        guard Self.payloadSizes.contains(payload.count) else { return .invalidPayloadSize }
        guard checksPayload else { return nil }
        switch JSONShape(payload) {
        case .object(hasAPS: true): return nil
        case .object, .other: return .missingPayload
        // A payload with a NUL is also malformed, because JSON does not allow this byte.
        case .malformed: return .protocolError
        }
    }
}

/// The status codes of the old gateway's error packet.
///
/// Source: Apple documentation archive, "Binary Provider API", table 5-2 and the text after it.
package struct BinaryStatus: Equatable, Hashable, Sendable {
    package let code: UInt8

    package init(_ code: UInt8) { self.code = code }

    package static let missingToken = BinaryStatus(2)
    package static let missingPayload = BinaryStatus(4)
    package static let invalidTokenSize = BinaryStatus(5)
    package static let invalidPayloadSize = BinaryStatus(7)
    package static let invalidToken = BinaryStatus(8)
    package static let shutdown = BinaryStatus(10)
    package static let protocolError = BinaryStatus(128)

    /// The code and its meaning, in the form that logs and counts contain, such as `8 invalid token`.
    package var text: String { "\(code) \(Self.meanings[code] ?? "not Apple's")" }

    private static let meanings: [UInt8: String] = [
        0: "no error", 1: "processing error", 2: "missing device token", 3: "missing topic",
        4: "missing payload", 5: "invalid token size", 6: "invalid topic size", 7: "invalid payload size",
        8: "invalid token", 10: "shutdown", 128: "protocol error", 255: "unknown",
    ]

    package var rejection: Rejection { Rejection(status: Int(code), reason: text) }

    /// Returns the six bytes of the error packet: command 8, the code, and the identifier as it was sent.
    package func packet(about identifier: UInt32) -> [UInt8] {
        [8, code] + withUnsafeBytes(of: identifier.bigEndian) { Array($0) }
    }
}
