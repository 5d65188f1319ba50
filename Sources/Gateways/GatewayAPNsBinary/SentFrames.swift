internal import PushWire

/// The frames that a binary connection has sent and that have no result yet. They are kept in a ring. A frame
/// is identified by its place in the ring. The type is a value without a clock or a socket.
///
/// **Promises.** A frame takes ten bytes. Its content is not kept, so a message that is sent again is
/// rendered again. Memory is allocated for the largest number of frames so far, not for the maximum.
/// Identifiers are consecutive, beginning with the first, so that they show which frame was sent after which.
/// A frame ages only once the peer's machine has received it. **Failures.** None; the result for an unknown
/// frame is `nil`. **Neighbours.** ``APNsBinaryConnection``.
package struct SentFrames {
    /// The first identifier. A gateway that has no identifier to report sends 0.
    package static let firstIdentifier: UInt32 = 1

    /// Frames that were observed to have arrived at the same time.
    private struct Arrival {
        /// The place after the last of these frames, counted from the connection's first frame.
        let end: UInt64
        let moment: Int64
    }

    package let capacity: Int
    private let first: UInt32
    /// The current size of the ring.
    private var slots: UInt64
    private var tags: [UInt64]
    private var sizes: [UInt16]
    /// Places, counted from the connection's first frame: the oldest frame that is kept, the next frame to
    /// arrive, and the next frame to be appended.
    private var head: UInt64 = 0, arrived: UInt64 = 0, tail: UInt64 = 0
    /// The byte positions in the stream at which these three frames begin.
    private var headByte: UInt64 = 0, arrivedByte: UInt64 = 0, tailByte: UInt64 = 0
    private var arrivals: [Arrival] = []

    /// - Parameter slotsAtFirst: The number of frames for which memory is allocated initially.
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
    /// The number of frames that may be appended now.
    package var credit: Int { isExhausted ? 0 : capacity - count }
    /// Whether the identifiers are used up, so that only another connection can continue.
    package var isExhausted: Bool { UInt64(first) + tail > UInt64(UInt32.max) }
    /// The identifier of the next frame to be appended; valid only while there is ``credit``.
    package var nextIdentifier: UInt32 { first &+ UInt32(truncatingIfNeeded: tail) }
    /// Whether there are frames that the peer's machine has not received yet.
    package var awaitsArrival: Bool { arrived < tail }

    /// Records the frame with ``nextIdentifier``; valid only while there is ``credit``.
    package mutating func append(_ tag: UInt64, bytes: Int) {
        if tail - head == slots, slots < UInt64(capacity) { grow() }
        let place = Int(tail % slots)
        tags[place] = tag
        sizes[place] = UInt16(clamping: bytes)
        tail += 1
        tailByte += UInt64(bytes)
    }

    /// Doubles the size of the ring, so that calls are rare. Each frame moves to its place in the larger
    /// ring.
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

    /// The memory that the ring uses, in bytes.
    package var heldBytes: Int {
        tags.capacity * MemoryLayout<UInt64>.size + sizes.capacity * MemoryLayout<UInt16>.size
    }

    /// Removes the oldest frame and returns its tag. The ring must not be empty.
    package mutating func removeFirst() -> UInt64 {
        let place = Int(head % slots)
        headByte += UInt64(sizes[place])
        head += 1
        if arrived < head { (arrived, arrivedByte) = (head, headByte) }
        return tags[place]
    }

    /// Returns the number of frames that are older than the one with this identifier; `nil` if the ring does
    /// not contain it.
    package func index(of identifier: UInt32) -> Int? {
        let place = UInt64(identifier &- first)
        return identifier >= first && (head..<tail).contains(place) ? Int(place - head) : nil
    }

    /// Returns the number of frames that begin before this byte of the stream. These are the oldest frames.
    package func count(begunBefore byte: UInt64) -> Int {
        var (place, start) = (head, headByte)
        while place < tail, start < byte {
            start += UInt64(sizes[Int(place % slots)])
            place += 1
        }
        return Int(place - head)
    }

    // MARK: Age

    /// Records that the peer's machine has received the stream up to this byte. A frame begins to age when
    /// the peer's machine has received all of it. Returns `false` if this applies to no further frame.
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

    /// Returns the number of frames that arrived at or before this moment. These are the oldest frames.
    package mutating func count(arrivedBy moment: Int64) -> Int {
        while let oldest = arrivals.first, oldest.end <= head { arrivals.removeFirst() }
        guard let last = arrivals.last(where: { $0.moment <= moment }) else { return 0 }
        return Int(last.end - head)
    }
}
