package import PushWire

/// Messages of one grant that are passed to a connector together, so that the connector looks up their common
/// data only once.
package struct GrantRun {
    package let frame: GrantFrame
    @usableFromInline let place: Int
    /// The offset of the next message's entry.
    package var offset: Int
    package var left: Int

    /// - Parameters:
    ///   - place: The grant's place, which identifies the grant in tags.
    ///   - offset: The offset of the first entry.
    package init(of frame: GrantFrame, at place: Int, from offset: Int, atMost count: Int) {
        (self.frame, self.place, self.offset, left) = (frame, place, offset, count)
    }

    /// Returns the tag of a message: the place of its grant, and the offset of its entry in the frame.
    @inlinable
    package static func tag(place: Int, offset: Int) -> UInt64 {
        UInt64(place) << 32 | UInt64(UInt32(offset))
    }
    @inlinable @inline(__always) package static func place(of tag: UInt64) -> Int { Int(tag >> 32) }
    @inlinable @inline(__always) package static func offset(of tag: UInt64) -> Int {
        Int(UInt32(truncatingIfNeeded: tag))
    }

    @inlinable package var tag: UInt64 { Self.tag(place: place, offset: offset) }

    /// The next message; `nil` if no message is left, or if the next message has no token.
    @inlinable
    package var next: GrantEntry? {
        guard left > 0 else { return nil }
        let entry = frame.entry(at: offset)
        return entry.token.isEmpty ? nil : entry
    }

    /// Moves past the next message, after the connector has accepted it or has reported its ending.
    @inlinable
    package mutating func advance(past entry: GrantEntry) {
        offset = entry.next
        left -= 1
    }

    /// Passes the messages on one after the other.
    /// - Parameter submit: Receives the message, its grant and its tag.
    /// - Returns: The result of the first message that was not accepted; `taken` if all were accepted.
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
