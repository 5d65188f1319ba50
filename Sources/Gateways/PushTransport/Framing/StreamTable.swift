/// Finds the slot of an open stream by the stream's id, at a cost that does not depend on the distance
/// between the ids.
///
/// A hash table with linear probing, whose cells are sorted by their home positions (Robin Hood hashing).
/// Stream ids are consecutive and fill the table in long runs, which neither a search nor a removal has to
/// traverse.
package struct StreamTable: ~Copyable {
    struct Cell: BitwiseCopyable {
        /// The id of the stream; 0 if the cell is free.
        var stream: Int32 = 0
        var slot: Int32 = 0
    }
    private var cells: Slab<Cell>
    private let mask: Int

    /// - Parameter maxStreams: The maximum number of streams that are open at the same time.
    package init(maxStreams: Int) {
        var count = 16
        while count < 2 * maxStreams { count *= 2 }
        mask = count - 1
        cells = Slab(capacity: count)
        for _ in 0..<count { cells.append(Cell()) }
    }

    @inline(__always)
    private func home(_ stream: Int32) -> Int { Int(stream >> 1) & mask }

    /// Returns the distance of the cell at this index from its home position.
    @inline(__always)
    private func distance(at index: Int) -> Int { (index &- home(cells[index].stream)) & mask }

    package func slot(of stream: Int32) -> Int? {
        var index = home(stream)
        var steps = 0
        while cells[index].stream != stream {
            guard cells[index].stream != 0, distance(at: index) >= steps else { return nil }
            index = (index + 1) & mask
            steps += 1
        }
        return Int(cells[index].slot)
    }

    package mutating func insert(_ stream: Int32, slot: Int) {
        var cell = Cell(stream: stream, slot: Int32(slot))
        var index = home(stream)
        var steps = 0
        while cells[index].stream != 0 {
            let other = distance(at: index)
            if other < steps {
                swap(&cell, &cells[index])
                steps = other
            }
            index = (index + 1) & mask
            steps += 1
        }
        cells[index] = cell
    }

    package mutating func remove(_ stream: Int32) {
        var hole = home(stream)
        var steps = 0
        while cells[hole].stream != stream {
            guard cells[hole].stream != 0, distance(at: hole) >= steps else { return }
            hole = (hole + 1) & mask
            steps += 1
        }
        // Moves the following cells one place forward, up to the first cell that is free or in its home
        // position.
        while true {
            let next = (hole + 1) & mask
            guard cells[next].stream != 0, distance(at: next) > 0 else { break }
            cells[hole] = cells[next]
            hole = next
        }
        cells[hole] = Cell()
    }
}
