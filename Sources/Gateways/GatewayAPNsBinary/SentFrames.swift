internal import PushWire

/// What a connection of the binary protocol has sent and has no word about: a ring, in which a frame is known
/// by its place. A value without clock or socket.
///
/// **Promises.** Ten bytes a frame and nothing else of it: what goes again is rendered again. Memory is taken
/// for the most frames that there ever were, not for all that there may be. Identifiers count up by one from
/// the first, so that "after" means something. A frame ages only once the peer's machine has received it.
/// **Failures.** None: what it is asked about and does not know is nil. **Neighbours.**
/// ``APNsBinaryConnection``.
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
    /// The ring's size now.
    private var slots: UInt64
    private var tags: [UInt64]
    private var sizes: [UInt16]
    /// Places, counted from the connection's first frame: oldest kept, next to arrive, next to be appended.
    private var head: UInt64 = 0, arrived: UInt64 = 0, tail: UInt64 = 0
    /// Where those three begin in the stream of bytes.
    private var headByte: UInt64 = 0, arrivedByte: UInt64 = 0, tailByte: UInt64 = 0
    private var arrivals: [Arrival] = []

    /// - Parameter slotsAtFirst: frames that memory is taken for at once.
    package init(capacity: Int, firstIdentifier: UInt32 = firstIdentifier, slotsAtFirst: Int = 1_024) {
        self.capacity = max(capacity, 1)
        first = firstIdentifier
        let count = min(self.capacity, max(slotsAtFirst, 1))
        slots = UInt64(count)
        tags = Array(repeating: 0, count: count)
        sizes = Array(repeating: 0, count: count)
    }

    package var count: Int { Int(tail - head) }
    package var isEmpty: Bool { tail == head }
    /// Frames that may be appended now.
    package var credit: Int { isExhausted ? 0 : capacity - count }
    /// There is no further identifier: only another connection can go on.
    package var isExhausted: Bool { UInt64(first) + tail > UInt64(UInt32.max) }
    /// The identifier of the frame that is appended next. Only while there is ``credit``.
    package var nextIdentifier: UInt32 { first &+ UInt32(truncatingIfNeeded: tail) }
    /// Whether the peer's machine has yet to receive some.
    package var awaitsArrival: Bool { arrived < tail }

    /// Notes the frame of ``nextIdentifier``; only while there is ``credit``.
    package mutating func append(_ tag: UInt64, bytes: Int) {
        if tail - head == slots, slots < UInt64(capacity) { grow() }
        let place = Int(tail % slots)
        tags[place] = tag
        sizes[place] = UInt16(clamping: bytes)
        tail += 1
        tailByte += UInt64(bytes)
    }

    /// Rare, as each time doubles the room; every frame gets the place that the larger ring has for it.
    private mutating func grow() {
        let count = min(UInt64(capacity), slots * 2)
        var newTags = Array(repeating: 0 as UInt64, count: Int(count))
        var newSizes = Array(repeating: 0 as UInt16, count: Int(count))
        for place in head..<tail {
            newTags[Int(place % count)] = tags[Int(place % slots)]
            newSizes[Int(place % count)] = sizes[Int(place % slots)]
        }
        (tags, sizes, slots) = (newTags, newSizes, count)
    }

    /// Bytes that the ring holds.
    package var heldBytes: Int {
        tags.capacity * MemoryLayout<UInt64>.size + sizes.capacity * MemoryLayout<UInt16>.size
    }

    /// The oldest frame's tag. Only while there is one.
    package mutating func removeFirst() -> UInt64 {
        let place = Int(head % slots)
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
            start += UInt64(sizes[Int(place % slots)])
            place += 1
        }
        return Int(place - head)
    }

    // MARK: Age

    /// The peer's machine has received the stream up to this byte: what it now has whole begins to age. False
    /// where that is nothing new.
    package mutating func received(upTo byte: UInt64, at now: Int64) -> Bool {
        let before = arrived
        while arrived < tail {
            let end = arrivedByte + UInt64(sizes[Int(arrived % slots)])
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
