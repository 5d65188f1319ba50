/// One notification in the old gateway's framing, as it stands in somebody else's memory.
///
/// Source: Apple documentation archive, "Binary Provider API" (command 2) and "Legacy Notification Format"
/// (commands 0 and 1). All integers are big-endian.
package struct BinaryFrame {
    package var command: UInt8
    /// Nil: not sent. The binary token, not its digits.
    package var token: Bytes?
    package var payload: Bytes?
    /// What an error packet names; nil: the frame has none, and the packet says 0.
    package var identifier: UInt32?
    /// Seconds since 1970.
    package var expiration: UInt32?
    package var priority: UInt8?

    package init(command: UInt8) { self.command = command }
}

/// What the next bytes of a connection are.
package enum BinaryReading {
    /// A notification, and how many bytes it takes.
    case whole(BinaryFrame, Int)
    /// The beginning of one.
    case partial
    /// Nothing that could be delimited: the status that says so, and as much of the frame as was understood.
    case broken(BinaryStatus, BinaryFrame)

    /// A frame's length beyond which nobody waits for its end: more than its items can need by far, so that
    /// the length is noise. Items that are merely too long get the status that says which.
    package static let longestFrame = 65_536

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

    /// Commands 0 and 1. Their end is known only by their lengths: one that cannot be is told before the rest
    /// is there.
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

    /// Command 2. An item that is none of Apple's, is there twice, has a wrong length or reaches beyond its
    /// frame makes the frame one that cannot be parsed.
    private static func items(_ bytes: Bytes) -> BinaryReading {
        var frame = BinaryFrame(command: 2)
        guard bytes.count >= 5 else { return .partial }
        let length = Int(bytes.integer32(at: 1))
        guard length <= longestFrame else { return .broken(.protocolError, frame) }
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
    /// Items: 1 token, 2 payload, 3 identifier, 4 expiration, 5 priority. False: it cannot be.
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

/// A connection's bytes, split anywhere, as notifications.
package struct BinaryDecoder {
    /// The beginning of a notification whose end has not come yet.
    private var carried: [UInt8] = []

    package init() {}

    /// Whether the stream could end here without a notification cut in two.
    package var isBetweenFrames: Bool { carried.isEmpty }

    /// Tells `each` reading in order, until it returns false or one is ``BinaryReading/broken(_:_:)``: what
    /// follows then is forgotten. A frame is valid only while it is told.
    package mutating func feed(_ bytes: Bytes, _ each: (BinaryReading) -> Bool) {
        if carried.isEmpty {
            let used = Self.read(bytes, each)
            if used < bytes.count { carried.append(contentsOf: Bytes(rebasing: bytes[used...])) }
        } else {
            carried.append(contentsOf: bytes)
            carried.removeFirst(carried.withUnsafeBufferPointer { Self.read($0, each) })
        }
    }

    /// How many bytes are done with.
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

/// What Apple's documentation asks of a notification in the old framing.
///
/// Undocumented, and so decided here: a payload that is no JSON cannot be parsed (128); JSON without a
/// dictionary `aps` is no payload (4). The 256 bytes of commands 0 and 1 in their first years are not asked
/// for.
package struct BinaryContract: Sendable {
    /// Tokens have 32 bytes; "should be at most 100", says Apple of what they may become.
    package static let tokenSizes = 32...100
    package static let payloadSizes = 1...2048

    /// Look at the payload's JSON, not only at its size.
    package var checksPayload: Bool

    package init(checksPayload: Bool = true) { self.checksPayload = checksPayload }

    /// Nil: the notification is good.
    package func fault(of frame: BinaryFrame) -> BinaryStatus? {
        guard let token = frame.token else { return .missingToken }
        guard Self.tokenSizes.contains(token.count) else { return .invalidTokenSize }
        guard let payload = frame.payload else { return .missingPayload }
        guard Self.payloadSizes.contains(payload.count) else { return .invalidPayloadSize }
        guard checksPayload else { return nil }
        switch JSONShape(payload) {
        case .object(hasAPS: true): return nil
        case .object, .other: return .missingPayload
        // A NUL is among what JSON does not allow.
        case .malformed: return .protocolError
        }
    }
}

/// The status codes of the old gateway's error packet.
///
/// Source: Apple documentation archive, "Binary Provider API", table 5-2 and what follows it.
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

    /// The code and what it means, e.g. `8 invalid token`: as logs and counts have it.
    package var text: String { "\(code) \(Self.meanings[code] ?? "not Apple's")" }

    private static let meanings: [UInt8: String] = [
        0: "no error", 1: "processing error", 2: "missing device token", 3: "missing topic",
        4: "missing payload", 5: "invalid token size", 6: "invalid topic size", 7: "invalid payload size",
        8: "invalid token", 10: "shutdown", 128: "protocol error", 255: "unknown",
    ]

    package var rejection: Rejection { Rejection(status: Int(code), reason: text) }

    /// The six bytes that say it: command 8, the code, the identifier as it was sent.
    package func packet(about identifier: UInt32) -> [UInt8] {
        [8, code] + withUnsafeBytes(of: identifier.bigEndian) { Array($0) }
    }
}
