internal import PushModel

/// Subscribers that are read or written together, packed into one block of memory. A row without parameters
/// takes about 60 bytes.
struct SubscriberChunk: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Ends] = []

    /// The positions at which the fields of a row end in the bytes. A row begins where the previous one ends.
    private struct Ends {
        /// The end of the token, which is stored as ``StoredToken`` defines. The highest bit is set if the
        /// token is text.
        var token: UInt32
        var userKey: UInt32
        /// The end of the parameters. It equals that of the user key if there are no parameters.
        var parameters: UInt32
        /// The end of the language. It equals that of the parameters if the row does not state the language.
        var language: UInt32

        static let textBit: UInt32 = 1 << 31
    }

    init() {}

    init(_ records: [SubscriberRecord]) {
        for record in records { append(record) }
    }

    /// Creates an empty chunk with capacity for this many bytes, so that it is not moved when it grows.
    init(reserving size: Int) { bytes.reserveCapacity(size) }

    /// Creates an empty chunk with capacity for the contents of another chunk.
    init(like other: SubscriberChunk) {
        bytes.reserveCapacity(other.bytes.count)
        ends.reserveCapacity(other.ends.count)
    }

    var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }
    var indices: Range<Int> { ends.indices }
    /// The memory that the chunk takes, in bytes.
    var size: Int { bytes.count + ends.count * MemoryLayout<Ends>.stride }

    /// Removes all rows but keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// - Parameter record: A chunk can contain up to 2 GB of records.
    mutating func append(_ record: SubscriberRecord) {
        let isText = appendToken(record.token)
        let token = UInt32(bytes.count)
        bytes.append(contentsOf: record.userKey.utf8)
        let userKey = UInt32(bytes.count)
        if let parameters = record.parametersJSON { bytes.append(contentsOf: parameters.utf8) }
        let parameters = UInt32(bytes.count)
        if !record.language.isEmpty { bytes.append(contentsOf: record.language.utf8) }
        ends.append(
            Ends(
                token: isText ? token | Ends.textBit : token, userKey: userKey, parameters: parameters,
                language: UInt32(bytes.count)))
    }

    /// - Returns: Whether the token is stored as text.
    private mutating func appendToken(_ token: String) -> Bool {
        var token = token
        return token.withUTF8 { text in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoredToken.maxHexDigits / 2) {
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

    /// Appends a row of another chunk.
    mutating func append(_ index: Int, of other: SubscriberChunk) {
        let start = other.range(.token, of: index).lowerBound
        let moved = UInt32(truncatingIfNeeded: bytes.count) &- UInt32(truncatingIfNeeded: start)
        var ends = other.ends[index]
        bytes.append(contentsOf: other.bytes[start..<Int(ends.language)])
        ends.token = (ends.token & ~Ends.textBit &+ moved) | (ends.token & Ends.textBit)
        ends.userKey = ends.userKey &+ moved
        ends.parameters = ends.parameters &+ moved
        ends.language = ends.language &+ moved
        self.ends.append(ends)
    }

    /// Appends the user key of another chunk's row, with a number in place of the token.
    mutating func append(number: UInt32, withKeyOf index: Int, of other: SubscriberChunk) {
        unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
        let token = UInt32(bytes.count)
        bytes.append(contentsOf: other.bytes[other.range(.userKey, of: index)])
        let end = UInt32(bytes.count)
        ends.append(Ends(token: token, userKey: end, parameters: end, language: end))
    }

    /// Returns the rows with these indices, in this order. A chunk is written in an order that differs from
    /// that of the file. If each row were read in place during the queries to the store, each read would wait
    /// for memory; copying many rows together avoids these waits.
    func gathered(_ indices: some Collection<UInt32>) -> SubscriberChunk {
        var chunk = SubscriberChunk()
        chunk.ends.reserveCapacity(indices.count)
        chunk.bytes.reserveCapacity(indices.count * (size / max(count, 1)))
        for index in indices { chunk.append(Int(index), of: self) }
        return chunk
    }

    // MARK: In a file

    /// The position of rows in a file.
    struct Block: Sendable {
        fileprivate var offset: Int
        fileprivate var rows: Int
        fileprivate var bytes: Int

        fileprivate var bytesOffset: Int { offset + rows * MemoryLayout<Ends>.stride }
        /// The position at which the next block begins.
        var end: Int { bytesOffset + bytes }
    }

    func write(to file: TemporaryFile, at offset: Int) throws(StoreError) -> Block {
        let block = Block(offset: offset, rows: ends.count, bytes: bytes.count)
        try unsafe file.write(ends.span.bytes, at: block.offset)
        try unsafe file.write(bytes.span.bytes, at: block.bytesOffset)
        return block
    }

    init(_ block: Block, of file: TemporaryFile) throws(StoreError) {
        let empty = Ends(token: 0, userKey: 0, parameters: 0, language: 0)
        ends = [Ends](repeating: empty, count: block.rows)
        bytes = [UInt8](repeating: 0, count: block.bytes)
        try unsafe file.read(into: &ends, at: block.offset)
        try unsafe file.read(into: &bytes, at: block.bytesOffset)
    }

    // MARK: Reading

    enum Field { case token, userKey, parameters, language }

    /// The strings of a row. Not for hot paths.
    subscript(index: Int) -> SubscriberRecord {
        SubscriberRecord(
            token: token(index), userKey: text(.userKey, of: index), parametersJSON: parameters(index),
            language: text(.language, of: index))
    }

    /// Whether any of the rows states the language of its device.
    var statesLanguages: Bool { indices.contains { !isEmpty(.language, of: $0) } }

    /// Returns the parameters of a row; `nil` if it has none.
    func parameters(_ index: Int) -> String? {
        isEmpty(.parameters, of: index) ? nil : text(.parameters, of: index)
    }

    func token(_ index: Int) -> String {
        isText(index)
            ? text(.token, of: index) : unsafe with(.token, of: index) { unsafe StoredToken.text(of: $0) }
    }

    /// Returns the number that is stored in place of the token.
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

    /// - Parameter field: Parameters that a row does not have are bound as NULL.
    func bind(_ field: Field, of index: Int, to statement: any Parameters, at place: Int32) {
        if field == .parameters, isEmpty(field, of: index) {
            statement.bind(nil as String?, at: place)
        } else {
            unsafe with(field, of: index) { unsafe statement.bind(text: $0, at: place) }
        }
    }

    /// Calls `body` with a field's bytes; a token's bytes are in their stored form. Unsafe like the
    /// parameters and columns of statements: the bytes are valid only during the call.
    func with<Value>(
        _ field: Field, of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        let range = range(field, of: index)
        return unsafe bytes.withUnsafeBufferPointer { unsafe body(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    /// Reports whether the row's token is stored as text.
    func isText(_ index: Int) -> Bool { ends[index].token & Ends.textBit != 0 }

    private func range(_ field: Field, of index: Int) -> Range<Int> {
        let token = Int(ends[index].token & ~Ends.textBit)
        return switch field {
        case .token: (index == 0 ? 0 : Int(ends[index - 1].language))..<token
        case .userKey: token..<Int(ends[index].userKey)
        case .parameters: Int(ends[index].userKey)..<Int(ends[index].parameters)
        case .language: Int(ends[index].parameters)..<Int(ends[index].language)
        }
    }
}
