/// The protocol on a connection once TLS is established. It receives bytes and produces bytes.
///
/// There are conversations for HTTP/2, for HTTP/1.1, for the old binary gateway and for its feedback service.
protocol Conversation: AnyObject {
    /// Whether the connection continues. The connection checks this after each call.
    var disposition: Disposition { get }
    func receive(_ bytes: Bytes)
    /// Fills `room` with bytes to send and returns their number; 0 if there are none for now.
    func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int
    /// Called when an alarm that was set through ``ConversationHost`` rings.
    func alarm(_ ticket: Int32, at now: Instant)
    /// Called when the connection has ended.
    func end()
}

enum Disposition: Equatable, Sendable {
    case continues
    /// The connection sends the remaining bytes and then ends in an orderly way.
    case closes
    /// The connection ends immediately, with a TCP reset.
    case reset
}

/// The functions of a connection that its conversation can use.
protocol ConversationHost: AnyObject {
    var now: Instant { get }
    /// Sets an alarm that rings once: it calls ``Conversation/alarm(_:at:)`` with `ticket`, which must not be
    /// negative.
    func setAlarm(_ ticket: Int32, after delay: Instant.Span)
    /// Sets an alarm like ``setAlarm(_:after:)``, for an answer that must leave after `delay`.
    func setAnswerAlarm(_ ticket: Int32, after delay: Instant.Span)
    /// Sends the next `count` bytes one by one, a millisecond apart.
    func drip(_ count: Int)
}

/// The bytes of a conversation that wait to be sent.
struct Outbox {
    var bytes: [UInt8] = []
    private var sent = 0

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    var isEmpty: Bool { sent == bytes.count }

    /// Moves as many bytes as fit into `room`, and returns their number.
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
