internal import PushModel

/// Sorted rows in a file, in blocks that are read one at a time.
struct SortedRun: Sendable {
    private(set) var blocks: [SubscriberChunk.Block] = []
    /// The number of rows that were added to the run, including rows that other rows replaced.
    let count: Int
    /// The sort keys of the first and the last row. All rows begin with the common prefix of these.
    let bounds: [[UInt8]]

    /// The size of a block, in bytes. One block of each run is in memory.
    private static let blockBytes = 128 << 10

    /// - Parameter chunk: Rows in any order.
    init(
        _ chunk: SubscriberChunk, _ order: SubscriberOrder, to file: TemporaryFile, at offset: Int
    ) throws(StoreError) {
        let indices = order.indices(of: chunk)
        count = chunk.count
        bounds = [indices.first, indices.last].compactMap(\.self).map {
            unsafe chunk.with(order.field, of: Int($0)) { unsafe Array($0) }
        }
        var block = SubscriberChunk(reserving: Self.blockBytes)
        for index in indices {
            block.append(Int(index), of: chunk)
            guard block.size >= Self.blockBytes else { continue }
            blocks.append(try block.write(to: file, at: end ?? offset))
            block.removeAll()
        }
        if !block.isEmpty { blocks.append(try block.write(to: file, at: end ?? offset)) }
    }

    /// The position at which the next run begins.
    var end: Int? { blocks.last?.end }
}

/// Sorted runs merged into one. If rows in several runs have the same token, the one of the last run is kept.
struct RunMerge {
    private let order: SubscriberOrder
    private let file: TemporaryFile
    private let start: Int
    /// The next row of each run that has rows left, in the order of the runs.
    private var heads: [Head] = []
    /// The values by which rows are nearly always compared.
    private var words: [UInt64] = []

    /// The size of the previous page, in bytes.
    private var pageBytes = 0

    private struct Head {
        let blocks: [SubscriberChunk.Block]
        var nextBlock = 1
        var chunk: SubscriberChunk
        var index = 0
    }

    init(_ runs: [SortedRun], _ order: SubscriberOrder, of file: TemporaryFile) throws(StoreError) {
        self.order = order
        self.file = file
        start = Self.commonPrefix(runs.flatMap(\.bounds))
        for run in runs {
            guard let first = run.blocks.first else { continue }
            heads.append(Head(blocks: run.blocks, chunk: try SubscriberChunk(first, of: file)))
        }
        words = heads.map { order.word($0.chunk, 0, from: start) }
    }

    private static func commonPrefix(_ keys: [[UInt8]]) -> Int {
        guard let first = keys.first else { return 0 }
        return keys.reduce(first.count) { count, key in
            min(count, zip(first, key).prefix { $0 == $1 }.count)
        }
    }

    /// Returns the next page; `nil` if there are no more.
    mutating func page(of rows: Int) throws(StoreError) -> SubscriberChunk? {
        var page = SubscriberChunk(reserving: pageBytes)
        defer { pageBytes = page.size }
        while page.count < rows, let least = try least() {
            page.append(heads[least].index, of: heads[least].chunk)
            _ = try advance(least)
        }
        return page.isEmpty ? nil : page
    }

    private mutating func least() throws(StoreError) -> Int? {
        guard var word = words.first else { return nil }
        var least = 0
        var place = 1
        while place < words.count {
            if words[place] < word {
                (least, word) = (place, words[place])
            } else if words[place] == word {
                let (one, other) = (heads[least], heads[place])
                let comparison = order.compare(one.chunk, one.index, other.chunk, other.index)
                if comparison > 0 { least = place }
                if comparison == 0, order.isUnique {
                    if try !advance(least) { place -= 1 }
                    least = place
                }
            }
            place += 1
        }
        return least
    }

    /// - Returns: `false` if the run has no more rows and was removed.
    private mutating func advance(_ place: Int) throws(StoreError) -> Bool {
        heads[place].index += 1
        if heads[place].index == heads[place].chunk.count {
            guard heads[place].nextBlock < heads[place].blocks.count else {
                heads.remove(at: place)
                words.remove(at: place)
                return false
            }
            heads[place].chunk = try SubscriberChunk(heads[place].blocks[heads[place].nextBlock], of: file)
            heads[place].nextBlock += 1
            heads[place].index = 0
        }
        words[place] = order.word(heads[place].chunk, heads[place].index, from: start)
        return true
    }
}
