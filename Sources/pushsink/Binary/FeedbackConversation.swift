/// The feedback service at one connection: tells what there is to tell, then ends. Nothing is asked of the
/// client.
final class FeedbackConversation: Conversation {
    private(set) var fate = Fate.goesOn
    private let bytes: [UInt8]
    private var sent = 0

    init(_ telling: FeedbackList.Telling) { bytes = telling.bytes }

    func receive(_ bytes: Bytes) {}

    func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(room.count, bytes.count - sent)
        for index in 0..<count { room[index] = bytes[sent + index] }
        sent += count
        if sent == bytes.count { fate = .closes }
        return count
    }

    func alarm(_ ticket: Int32, at now: Instant) {}
    func end() {}
}
