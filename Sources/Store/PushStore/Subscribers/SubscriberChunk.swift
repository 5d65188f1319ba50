package import PushModel

/// Subscribers that are written together, packed into one piece of memory.
///
/// The more rows a chunk has, the less an import into a large store costs: tokens are random, so a chunk with
/// fewer rows than the index of tokens has pages writes a page for each of them. A row without parameters
/// takes some 60 bytes here.
package struct SubscriberChunk: Sendable {
    /// What is worth writing at once, in bytes of ``size``: nearly a million tokens of APNs. With it, and
    /// what sorts it, an import takes less than 200 MB.
    package static let idealSize = 54 << 20

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

    package init() {}

    package init(_ records: [SubscriberRecord]) {
        for record in records { append(record) }
    }

    package var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }
    var indices: Range<Int> { ends.indices }
    /// Bytes that it takes in memory.
    package var size: Int { bytes.count + ends.count * MemoryLayout<Ends>.stride }

    /// Empty, with the room of an ideal chunk, so that it is not moved when it grows.
    package static func ofIdealSize() -> SubscriberChunk {
        var chunk = SubscriberChunk()
        chunk.bytes.reserveCapacity(idealSize)
        return chunk
    }

    /// Keeps its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// - Parameter record: a chunk has room for 2 GB of them.
    package mutating func append(_ record: SubscriberRecord) {
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

    /// Some of the rows, in this order. A chunk is written in two orders that are not that of the file. To
    /// read each row where it is, while the store is asked, costs a wait for memory each time; to copy many
    /// together does not.
    func gathered(_ indices: some Collection<UInt32>) -> SubscriberChunk {
        var chunk = SubscriberChunk()
        chunk.ends.reserveCapacity(indices.count)
        chunk.bytes.reserveCapacity(indices.count * (size / max(count, 1)))
        for index in indices.lazy.map(Int.init) {
            let start = range(.token, of: index).lowerBound
            let moved = UInt32(truncatingIfNeeded: chunk.bytes.count) &- UInt32(truncatingIfNeeded: start)
            var ends = ends[index]
            chunk.bytes.append(contentsOf: bytes[start..<Int(ends.parameters)])
            ends.token = (ends.token & ~Ends.textBit &+ moved) | (ends.token & Ends.textBit)
            ends.userKey = ends.userKey &+ moved
            ends.parameters = ends.parameters &+ moved
            chunk.ends.append(ends)
        }
        return chunk
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

    func haveSameToken(_ one: Int, _ other: Int) -> Bool {
        isText(one) == isText(other) && bytes[range(.token, of: one)] == bytes[range(.token, of: other)]
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
