/// How many different things were seen, each known by sixty-four well-mixed bits.
///
/// Two of a million things share their bits with a chance of one in forty million: good enough to count what
/// should be there exactly once.
package struct DistinctCounter {
    /// Open addressing; 0 is an empty place.
    private var places = [UInt64](repeating: 0, count: 1024)
    package private(set) var count = 0

    package init() {}

    package mutating func insert(_ hash: UInt64) {
        if count * 2 >= places.count { grow() }
        if Self.place(hash | (hash == 0 ? 1 : 0), in: &places) { count += 1 }
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: places.count * 2)
        for hash in places where hash != 0 { _ = Self.place(hash, in: &larger) }
        places = larger
    }

    private static func place(_ hash: UInt64, in places: inout [UInt64]) -> Bool {
        places.withUnsafeMutableBufferPointer { places in
            var index = Int(truncatingIfNeeded: hash >> 7) & (places.count - 1)
            while places[index] != 0 {
                if places[index] == hash { return false }
                index = (index + 1) & (places.count - 1)
            }
            places[index] = hash
            return true
        }
    }
}
