/// Finds the slot of an open stream by the stream's id, at the same cost however far the ids are apart.
///
/// A hash table with linear probing. Stream ids follow each other, so that most are in their own cell.
package struct StreamTable: ~Copyable {
    struct Cell: BitwiseCopyable {
        /// 0: free.
        var stream: Int32 = 0
        var slot: Int32 = 0
    }
    private var cells: Slab<Cell>
    private let mask: Int

    /// - Parameter maxStreams: the most streams that are open at the same time.
    package init(maxStreams: Int) {
        var count = 16
        while count < 2 * maxStreams { count *= 2 }
        mask = count - 1
        cells = Slab(capacity: count)
        for _ in 0..<count { cells.append(Cell()) }
    }

    @inline(__always)
    private func home(_ stream: Int32) -> Int { Int(stream >> 1) & mask }

    package func slot(of stream: Int32) -> Int? {
        var index = home(stream)
        while true {
            let cell = cells[index]
            if cell.stream == stream { return Int(cell.slot) }
            if cell.stream == 0 { return nil }
            index = (index + 1) & mask
        }
    }

    package mutating func insert(_ stream: Int32, slot: Int) {
        var index = home(stream)
        while cells[index].stream != 0 { index = (index + 1) & mask }
        cells[index] = Cell(stream: stream, slot: Int32(slot))
    }

    package mutating func remove(_ stream: Int32) {
        var hole = home(stream)
        while cells[hole].stream != stream {
            guard cells[hole].stream != 0 else { return }
            hole = (hole + 1) & mask
        }
        // Later cells move into the hole unless that is before their home.
        var index = (hole + 1) & mask
        while cells[index].stream != 0 {
            let distance = (index &- home(cells[index].stream)) & mask
            if distance >= (index &- hole) & mask {
                cells[hole] = cells[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        cells[hole] = Cell()
    }
}
