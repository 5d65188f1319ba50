internal import GatewayKit
package import PushModel
package import PushWire

/// The grants that a child has, kept as the frames that they came in. A message is named by a tag: its
/// grant's place here and its entry's offset in the frame, so that nothing is stored per message.
package struct GrantTable {
    package struct Grant {
        let frame: GrantFrame
        let arrived: MonotonicTime
        /// Messages without an ending that was reported.
        var open: Int
        /// The next entry that was never submitted, and how many there are from it on.
        var cursor: Int
        var unsubmitted: Int
    }

    private var places: [Grant?] = []
    private var freePlaces: [Int] = []
    package private(set) var openMessages = 0

    package init() {}

    package var isEmpty: Bool { openMessages == 0 }

    /// - Returns: the grant's place.
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

    /// Messages of these grants without an ending that was reported.
    func countOpen(where isMeant: (Grant) -> Bool) -> Int {
        places.reduce(0) { sum, place in
            guard let place, isMeant(place) else { return sum }
            return sum + place.open
        }
    }

    /// So many messages of a grant were submitted; the next one stands at this offset.
    package mutating func advance(_ place: Int, to offset: Int, by count: Int) {
        places[place]?.cursor = offset
        places[place]?.unsubmitted -= count
    }

    /// The frame that a tag's message stands in.
    @inline(__always)
    package func frame(of tag: UInt64) -> GrantFrame? { places[GrantRun.place(of: tag)]?.frame }

    /// A message has its ending. The grant's place is free when it was the last.
    /// - Returns: which message; nil: there is no such grant.
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
    /// The message whose entry stands there has its ending. In place, because a copy of the frame counts
    /// references.
    /// - Returns: which message, and how many still have none.
    @inline(__always)
    fileprivate mutating func close(at offset: Int) -> (ended: GrantTable.Ended, left: Int) {
        open -= 1
        return (
            GrantTable.Ended(message: frame.message(at: offset), grant: frame.grant, job: frame.job), open
        )
    }
}
