/// What is spoken on a connection, once TLS stands: bytes in, bytes out.
///
/// HTTP/2 and HTTP/1.1 are two, the binary frames of the old gateway and its feedback service two more.
protocol Conversation: AnyObject {
    /// Whether the connection goes on. Looked at after each call.
    var fate: Fate { get }
    func receive(_ bytes: Bytes)
    /// Bytes to send; 0: nothing for now.
    func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int
    /// An alarm that was set through ``ConversationHost`` rings.
    func alarm(_ ticket: Int32, at now: Instant)
    /// The connection is gone.
    func end()
}

enum Fate: Equatable, Sendable {
    case goesOn
    /// Say what there is to say, then end in order.
    case closes
    /// End at once, with a TCP reset.
    case reset
}

/// What a conversation may ask of the connection that carries it.
protocol ConversationHost: AnyObject {
    var now: Instant { get }
    /// Rings once, with `ticket` (not negative).
    func setAlarm(_ ticket: Int32, after delay: Instant.Span)
    /// As ``setAlarm(_:after:)``, for an answer that is to leave after `delay`.
    func setAnswerAlarm(_ ticket: Int32, after delay: Instant.Span)
    /// The next `count` bytes go out one by one, a millisecond apart.
    func drip(_ count: Int)
}

/// Bytes of a conversation that wait to be sent.
struct Outbox {
    var bytes: [UInt8] = []
    private var sent = 0

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    var isEmpty: Bool { sent == bytes.count }

    /// Moves as many as there is room for.
    mutating func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(room.count, bytes.count - sent)
        _ = room.update(fromContentsOf: bytes[sent..<sent + count])
        sent += count
        if isEmpty {
            bytes.removeAll(keepingCapacity: true)
            sent = 0
        }
        return count
    }
}
