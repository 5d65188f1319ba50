/// A connection's bytes, split anywhere, as notifications.
package struct BinaryDecoder {
    /// The beginning of a notification whose end has not come yet.
    private var carried: [UInt8] = []

    package init() {}

    /// Whether the stream could end here without a notification cut in two.
    package var isBetweenFrames: Bool { carried.isEmpty }

    /// Tells `each` reading in order, until it returns false or one is ``BinaryReading/broken(_:_:)``: what
    /// follows then is forgotten. A frame is valid only while it is told.
    package mutating func feed(_ bytes: Bytes, _ each: (BinaryReading) -> Bool) {
        if carried.isEmpty {
            let used = Self.read(bytes, each)
            if used < bytes.count { carried.append(contentsOf: Bytes(rebasing: bytes[used...])) }
        } else {
            carried.append(contentsOf: bytes)
            let used = carried.withUnsafeBufferPointer { Self.read($0, each) }
            if used == carried.count {
                carried.removeAll(keepingCapacity: true)
            } else if used > 0 {
                carried.removeFirst(used)
            }
        }
    }

    /// How many bytes are done with.
    private static func read(_ bytes: Bytes, _ each: (BinaryReading) -> Bool) -> Int {
        var used = 0
        while used < bytes.count {
            let reading = BinaryReading(Bytes(rebasing: bytes[used...]))
            switch reading {
            case .partial: return used
            case .whole(_, let count):
                used += count
                guard each(reading) else { return bytes.count }
            case .broken:
                _ = each(reading)
                return bytes.count
            }
        }
        return used
    }
}
