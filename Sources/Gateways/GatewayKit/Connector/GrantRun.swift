package import PushWire

/// Messages of one grant that a connector is handed together, so that it looks up once what they have in
/// common.
package struct GrantRun {
    package let frame: GrantFrame
    @usableFromInline let place: Int
    /// Where the next message's entry stands.
    package var offset: Int
    package var left: Int

    /// - Parameters:
    ///   - place: the grant's, by which tags name it.
    ///   - offset: of the first entry.
    package init(of frame: GrantFrame, at place: Int, from offset: Int, atMost count: Int) {
        (self.frame, self.place, self.offset, left) = (frame, place, offset, count)
    }

    /// What names a message: its grant's place, and its entry's offset in the frame.
    @inlinable
    package static func tag(place: Int, offset: Int) -> UInt64 {
        UInt64(place) << 32 | UInt64(UInt32(offset))
    }
    @inlinable @inline(__always) package static func place(of tag: UInt64) -> Int { Int(tag >> 32) }
    @inlinable @inline(__always) package static func offset(of tag: UInt64) -> Int {
        Int(UInt32(truncatingIfNeeded: tag))
    }

    @inlinable package var tag: UInt64 { Self.tag(place: place, offset: offset) }

    /// The next message; nil where all are taken, or that one has no address.
    @inlinable
    package var next: GrantEntry? {
        guard left > 0 else { return nil }
        let entry = frame.entry(at: offset)
        return entry.token.isEmpty ? nil : entry
    }

    /// The next message has been taken, or has had its ending.
    @inlinable
    package mutating func advance(past entry: GrantEntry) {
        offset = entry.next
        left -= 1
    }

    /// Hands over one after the other.
    /// - Parameter submit: gets the message, its grant and its tag.
    /// - Returns: what came of the first that was not taken.
    @inlinable @inline(__always)
    package mutating func submitEach(by submit: (GrantEntry, GrantFrame, UInt64) -> Submission) -> Submission
    {
        let frame = frame
        while let entry = next {
            let submission = submit(entry, frame, tag)
            guard submission == .taken else { return submission }
            advance(past: entry)
        }
        return .taken
    }
}
