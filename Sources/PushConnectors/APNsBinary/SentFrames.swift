/// What a connection of the binary protocol has sent and has no word about: a ring, in which a frame is known by its
/// place. A value without clock or socket.
///
/// **Promises.** Ten bytes a frame and nothing else of it: what goes again is rendered again. Identifiers count up by
/// one from the first, so that "after" means something. A frame ages only once the peer's machine has received it.
/// **Failures.** None: what it is asked about and does not know is nil. **Neighbours.** ``APNsBinaryConnection``.
package struct SentFrames {
    /// Identifiers begin here: 0 is what a gateway says that has none to name.
    package static let firstIdentifier: UInt32 = 1

    /// Frames that arrived at the same time, as far as anybody looked.
    private struct Arrival {
        /// The place, counted from the connection's first frame, behind the last of them.
        let end: UInt64
        let moment: Int64
    }

    package let capacity: Int
    private let first: UInt32
    private var tags: [UInt64]
    private var sizes: [UInt16]
    /// Places, counted from the connection's first frame: oldest kept, next to arrive, next to be appended.
    private var head: UInt64 = 0, arrived: UInt64 = 0, tail: UInt64 = 0
    /// Where those three begin in the stream of bytes.
    private var headByte: UInt64 = 0, arrivedByte: UInt64 = 0, tailByte: UInt64 = 0
    private var arrivals: [Arrival] = []

    package init(capacity: Int, firstIdentifier: UInt32 = firstIdentifier) {
        self.capacity = max(capacity, 1)
        first = firstIdentifier
        tags = Array(repeating: 0, count: self.capacity)
        sizes = Array(repeating: 0, count: self.capacity)
    }

    package var count: Int { Int(tail - head) }
    package var isEmpty: Bool { tail == head }
    /// Frames that may be appended now.
    package var room: Int { isExhausted ? 0 : capacity - count }
    /// There is no further identifier: only another connection can go on.
    package var isExhausted: Bool { UInt64(first) + tail > UInt64(UInt32.max) }
    /// The identifier of the frame that is appended next. Only while there is ``room``.
    package var nextIdentifier: UInt32 { first &+ UInt32(truncatingIfNeeded: tail) }
    /// Whether the peer's machine has yet to receive some.
    package var awaitsArrival: Bool { arrived < tail }

    /// Notes the frame of ``nextIdentifier``; only while there is ``room``.
    package mutating func append(_ tag: UInt64, bytes: Int) {
        let place = Int(tail % UInt64(capacity))
        tags[place] = tag
        sizes[place] = UInt16(clamping: bytes)
        tail += 1
        tailByte += UInt64(bytes)
    }

    /// The oldest frame's tag. Only while there is one.
    package mutating func removeFirst() -> UInt64 {
        let place = Int(head % UInt64(capacity))
        headByte += UInt64(sizes[place])
        head += 1
        if arrived < head { (arrived, arrivedByte) = (head, headByte) }
        return tags[place]
    }

    /// How many frames are older than the one of this identifier; nil where none of the ring has it.
    package func index(of identifier: UInt32) -> Int? {
        let place = UInt64(identifier &- first)
        return identifier >= first && (head..<tail).contains(place) ? Int(place - head) : nil
    }

    /// How many frames, the oldest, begin before this byte of the stream.
    package func count(begunBefore byte: UInt64) -> Int {
        var (place, start) = (head, headByte)
        while place < tail, start < byte {
            start += UInt64(sizes[Int(place % UInt64(capacity))])
            place += 1
        }
        return Int(place - head)
    }

    // MARK: Age

    /// The peer's machine has received the stream up to this byte: what it now has whole begins to age. False where
    /// that is nothing new.
    package mutating func received(upTo byte: UInt64, at now: Int64) -> Bool {
        let before = arrived
        while arrived < tail {
            let end = arrivedByte + UInt64(sizes[Int(arrived % UInt64(capacity))])
            guard end <= byte else { break }
            (arrived, arrivedByte) = (arrived + 1, end)
        }
        guard arrived > before else { return false }
        arrivals.append(Arrival(end: arrived, moment: now))
        return true
    }

    /// How many frames, the oldest, arrived at this moment or before.
    package mutating func count(arrivedBy moment: Int64) -> Int {
        while let oldest = arrivals.first, oldest.end <= head { arrivals.removeFirst() }
        guard let last = arrivals.last(where: { $0.moment <= moment }) else { return 0 }
        return Int(last.end - head)
    }
}
