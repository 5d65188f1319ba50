internal import GatewayKit
package import PushModel
package import PushWire

/// The grants of a child, kept as the frames in which they arrived. A message is identified by a tag, which
/// consists of its grant's place in the table and its entry's offset in the frame, so that nothing is stored
/// per message.
package struct GrantTable {
    package struct Grant {
        let frame: GrantFrame
        let arrived: MonotonicTime
        /// The number of messages whose ending has not been reported.
        var open: Int
        /// The offset of the next entry that was never submitted, and the number of entries from that offset
        /// on.
        var cursor: Int
        var unsubmitted: Int
    }

    private var places: [Grant?] = []
    private var freePlaces: [Int] = []
    package private(set) var openMessages = 0

    package init() {}

    package var isEmpty: Bool { openMessages == 0 }

    /// - Returns: The place of the grant.
    package mutating func add(_ frame: GrantFrame, at now: MonotonicTime) -> Int {
        let grant = Grant(
            frame: frame, arrived: now, open: frame.count, cursor: GrantFrame.firstEntry,
            unsubmitted: frame.count)
        openMessages += frame.count
        if let place = freePlaces.popLast() {
            places[place] = grant
            return place
        }
        places.append(grant)
        return places.count - 1
    }

    package subscript(place: Int) -> Grant? { places[place] }

    /// Returns the number of messages in the matching grants whose ending has not been reported.
    func countOpen(where isMeant: (Grant) -> Bool) -> Int {
        places.reduce(0) { sum, place in
            guard let place, isMeant(place) else { return sum }
            return sum + place.open
        }
    }

    /// Records that the given number of messages of a grant were submitted. The next message is at the given
    /// offset.
    package mutating func advance(_ place: Int, to offset: Int, by count: Int) {
        places[place]?.cursor = offset
        places[place]?.unsubmitted -= count
    }

    /// Returns the frame that contains the tag's message.
    @inline(__always)
    package func frame(of tag: UInt64) -> GrantFrame? { places[GrantRun.place(of: tag)]?.frame }

    /// Records the ending of a message. If the message was the grant's last message without an ending, the
    /// grant's place is freed.
    /// - Returns: The message; `nil` if the grant does not exist.
    @discardableResult
    package mutating func close(_ tag: UInt64) -> Ended? {
        let place = GrantRun.place(of: tag)
        guard let (ended, left) = places[place]?.close(at: GrantRun.offset(of: tag)) else { return nil }
        openMessages -= 1
        if left == 0 {
            places[place] = nil
            freePlaces.append(place)
        }
        return ended
    }

    package struct Ended: Equatable {
        package let message: MessageID
        package let grant: GrantID
        package let job: JobID
    }
}

extension GrantTable.Grant {
    /// Records the ending of the message whose entry is at the offset. The grant is changed in place, because
    /// a copy would retain the frame.
    /// - Returns: The message, and the number of messages without an ending.
    @inline(__always)
    fileprivate mutating func close(at offset: Int) -> (ended: GrantTable.Ended, left: Int) {
        open -= 1
        return (
            GrantTable.Ended(message: frame.message(at: offset), grant: frame.grant, job: frame.job), open
        )
    }
}
