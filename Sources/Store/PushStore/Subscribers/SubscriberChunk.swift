internal import PushModel

/// Subscribers that are read or written together, packed into one piece of memory. A row without parameters
/// takes some 60 bytes here.
struct SubscriberChunk: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Ends] = []

    /// Where the parts of a row end in the bytes. It begins where the one before it ends.
    private struct Ends {
        /// As ``StoredToken`` says; the highest bit: it is a text.
        var token: UInt32
        var userKey: UInt32
        /// That of the user key: there are no parameters.
        var parameters: UInt32

        static let textBit: UInt32 = 1 << 31
    }

    init() {}

    init(_ records: [SubscriberRecord]) {
        for record in records { append(record) }
    }

    /// Empty, with the room for this many bytes, so that it is not moved when it grows.
    init(reserving size: Int) { bytes.reserveCapacity(size) }

    /// Empty, with the room that another one takes.
    init(like other: SubscriberChunk) {
        bytes.reserveCapacity(other.bytes.count)
        ends.reserveCapacity(other.ends.count)
    }

    var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }
    var indices: Range<Int> { ends.indices }
    /// Bytes that it takes in memory.
    var size: Int { bytes.count + ends.count * MemoryLayout<Ends>.stride }

    /// Keeps its memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// - Parameter record: a chunk has room for 2 GB of them.
    mutating func append(_ record: SubscriberRecord) {
        let isText = appendToken(record.token)
        let token = UInt32(bytes.count)
        bytes.append(contentsOf: record.userKey.utf8)
        let userKey = UInt32(bytes.count)
        if let parameters = record.parametersJSON { bytes.append(contentsOf: parameters.utf8) }
        ends.append(
            Ends(
                token: isText ? token | Ends.textBit : token, userKey: userKey,
                parameters: UInt32(bytes.count)))
    }

    /// - Returns: whether it is stored as text.
    private mutating func appendToken(_ token: String) -> Bool {
        var token = token
        return token.withUTF8 { text in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoredToken.longestHex / 2) {
                let count = unsafe StoredToken.decode(text, into: $0)
                if let count {
                    unsafe bytes.append(contentsOf: $0[..<count])
                } else {
                    unsafe bytes.append(contentsOf: text)
                }
                return count == nil
            }
        }
    }

    /// Adds a row of another chunk.
    mutating func append(_ index: Int, of other: SubscriberChunk) {
        let start = other.range(.token, of: index).lowerBound
        let moved = UInt32(truncatingIfNeeded: bytes.count) &- UInt32(truncatingIfNeeded: start)
        var ends = other.ends[index]
        bytes.append(contentsOf: other.bytes[start..<Int(ends.parameters)])
        ends.token = (ends.token & ~Ends.textBit &+ moved) | (ends.token & Ends.textBit)
        ends.userKey = ends.userKey &+ moved
        ends.parameters = ends.parameters &+ moved
        self.ends.append(ends)
    }

    /// Adds the user key of another chunk's row, with a number in place of the token.
    mutating func append(number: UInt32, withKeyOf index: Int, of other: SubscriberChunk) {
        unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
        let token = UInt32(bytes.count)
        bytes.append(contentsOf: other.bytes[other.range(.userKey, of: index)])
        let end = UInt32(bytes.count)
        ends.append(Ends(token: token, userKey: end, parameters: end))
    }

    /// Some of the rows, in this order. A chunk is written in an order that is not that of the file. To
    /// read each row where it is, while the store is asked, costs a wait for memory each time; to copy many
    /// together does not.
    func gathered(_ indices: some Collection<UInt32>) -> SubscriberChunk {
        var chunk = SubscriberChunk()
        chunk.ends.reserveCapacity(indices.count)
        chunk.bytes.reserveCapacity(indices.count * (size / max(count, 1)))
        for index in indices { chunk.append(Int(index), of: self) }
        return chunk
    }

    // MARK: In a file

    /// Where rows are in a file.
    struct Block: Sendable {
        fileprivate var offset: Int
        fileprivate var rows: Int
        fileprivate var bytes: Int

        fileprivate var bytesOffset: Int { offset + rows * MemoryLayout<Ends>.stride }
        /// Where the next one begins.
        var end: Int { bytesOffset + bytes }
    }

    func write(to file: TemporaryFile, at offset: Int) throws(StoreError) -> Block {
        let block = Block(offset: offset, rows: ends.count, bytes: bytes.count)
        try unsafe file.write(ends.span.bytes, at: block.offset)
        try unsafe file.write(bytes.span.bytes, at: block.bytesOffset)
        return block
    }

    init(_ block: Block, of file: TemporaryFile) throws(StoreError) {
        ends = [Ends](repeating: Ends(token: 0, userKey: 0, parameters: 0), count: block.rows)
        bytes = [UInt8](repeating: 0, count: block.bytes)
        try unsafe file.read(into: &ends, at: block.offset)
        try unsafe file.read(into: &bytes, at: block.bytesOffset)
    }

    // MARK: Reading

    enum Field { case token, userKey, parameters }

    /// A row's texts, outside hot paths.
    subscript(index: Int) -> SubscriberRecord {
        SubscriberRecord(
            token: token(index), userKey: text(.userKey, of: index), parametersJSON: parameters(index))
    }

    /// nil: it has none.
    func parameters(_ index: Int) -> String? {
        isEmpty(.parameters, of: index) ? nil : text(.parameters, of: index)
    }

    func token(_ index: Int) -> String {
        isText(index)
            ? text(.token, of: index) : unsafe with(.token, of: index) { unsafe StoredToken.text(of: $0) }
    }

    /// What stands in place of the token.
    func number(_ index: Int) -> UInt32 {
        unsafe with(.token, of: index) {
            unsafe $0.count == 4 ? UnsafeRawBufferPointer($0).loadUnaligned(as: UInt32.self) : 0
        }
    }

    func text(_ field: Field, of index: Int) -> String {
        String(decoding: bytes[range(field, of: index)], as: UTF8.self)
    }

    func isEmpty(_ field: Field, of index: Int) -> Bool { range(field, of: index).isEmpty }

    func bindToken(of index: Int, to statement: any Parameters, at place: Int32) {
        let isText = isText(index)
        unsafe with(.token, of: index) {
            if isText {
                unsafe statement.bind(text: $0, at: place)
            } else {
                unsafe statement.bind(tokenBytes: $0, at: place)
            }
        }
    }

    /// - Parameter field: parameters that a row does not have are NULL.
    func bind(_ field: Field, of index: Int, to statement: any Parameters, at place: Int32) {
        if field == .parameters, isEmpty(field, of: index) {
            statement.bind(nil as String?, at: place)
        } else {
            unsafe with(field, of: index) { unsafe statement.bind(text: $0, at: place) }
        }
    }

    /// A field's bytes; a token's as they are stored. Unsafe because statements' parameters and columns are:
    /// they are lent for the call.
    func with<Value>(
        _ field: Field, of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        let range = range(field, of: index)
        return unsafe bytes.withUnsafeBufferPointer { unsafe body(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    /// Whether its token is stored as text.
    func isText(_ index: Int) -> Bool { ends[index].token & Ends.textBit != 0 }

    private func range(_ field: Field, of index: Int) -> Range<Int> {
        let token = Int(ends[index].token & ~Ends.textBit)
        return switch field {
        case .token: (index == 0 ? 0 : Int(ends[index - 1].parameters))..<token
        case .userKey: token..<Int(ends[index].userKey)
        case .parameters: Int(ends[index].userKey)..<Int(ends[index].parameters)
        }
    }
}
