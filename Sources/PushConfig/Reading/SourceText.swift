/// Where something stands in a file, both from 1; columns count characters.
struct SourcePosition: Hashable, Comparable, Sendable {
    var line: Int
    var column: Int
    static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Why bytes are not an XML document that we read, and where.
struct SourceTrouble: Error, Equatable {
    var position: SourcePosition
    var message: String
}

/// A file's bytes, with a line and a column for each offset.
///
/// Only encodings in which markup is ASCII get this far (``SourceEncoding``), so that bytes can be scanned for `<`
/// and `>`.
struct SourceText {
    let bytes: [UInt8]
    private(set) var encoding = SourceEncoding.utf8
    /// Past a byte order mark.
    let start: Int
    private let lineStarts: [Int]
    /// Bytes that begin a character, before each block: a file may be one line, and every tag in it asks for its column.
    private let charactersBefore: [Int]
    private static let blockBytes = 256

    init(_ bytes: [UInt8]) throws(SourceTrouble) {
        self.bytes = bytes
        start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var lineStarts = [start]
        for offset in bytes.indices where bytes[offset] == UInt8(ascii: "\n") { lineStarts.append(offset + 1) }
        self.lineStarts = lineStarts
        var charactersBefore = [0]
        for block in stride(from: 0, to: bytes.count, by: Self.blockBytes) {
            let end = min(block + Self.blockBytes, bytes.count)
            charactersBefore.append(charactersBefore[charactersBefore.count - 1] + Self.characters(in: bytes[block..<end]))
        }
        self.charactersBefore = charactersBefore
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) || bytes.contains(0) {
            throw SourceTrouble(
                position: position(at: bytes.starts(with: [0x3C]) ? bytes.firstIndex(of: 0) ?? 0 : 0),
                message: "the file is UTF-16 or not text: save it as UTF-8")
        }
        guard let declared = SourceEncoding.declared(in: bytes, from: start) else {
            try checkUTF8()
            return
        }
        guard let known = SourceEncoding(name: String(decoding: bytes[declared], as: UTF8.self)) else {
            throw SourceTrouble(
                position: position(at: declared.lowerBound),
                message: "the file declares encoding \(quoted(bytes[declared])), which is not read: save it as UTF-8")
        }
        encoding = known
        if known == .utf8 { try checkUTF8() }
    }

    /// The line and column of an offset; that of the end for offsets beyond it.
    func position(at offset: Int) -> SourcePosition {
        let offset = max(start, min(offset, bytes.count))
        var low = 0, high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let start = lineStarts[low]
        let characters = encoding == .utf8 ? characters(before: offset) - characters(before: start) : offset - start
        return SourcePosition(line: low + 1, column: characters + 1)
    }

    private func characters(before offset: Int) -> Int {
        let block = offset / Self.blockBytes
        return charactersBefore[block] + Self.characters(in: bytes[block * Self.blockBytes..<offset])
    }

    /// In UTF-8, bytes 10xxxxxx continue a character.
    private static func characters(in bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 & 0xC0 != 0x80 } }

    private func checkUTF8() throws(SourceTrouble) {
        if String(validating: bytes, as: UTF8.self) != nil { return }
        // Only now is it worth a slower walk to learn where.
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let scalar): offset += scalar.count
            case .emptyInput: return
            case .error:
                throw SourceTrouble(
                    position: position(at: offset),
                    message:
                        "this character is not UTF-8: save the file as UTF-8, or declare its encoding in the first line"
                )
            }
        }
    }
}

/// Encodings that are read: supersets of ASCII, and libxml2 knows them.
enum SourceEncoding: Equatable {
    case utf8, singleByte

    init?(name: String) {
        switch name.lowercased() {
        case "utf-8", "utf8", "us-ascii", "ascii": self = .utf8
        case "iso-8859-1", "windows-1252": self = .singleByte
        default: return nil
        }
    }

    /// Where the XML declaration names an encoding; nil where there is none.
    static func declared(in bytes: [UInt8], from start: Int) -> Range<Int>? {
        guard bytes[start...].starts(with: "<?xml".utf8), let end = bytes[start...].firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let declaration = bytes[start..<end]
        guard let word = declaration.firstRange(of: Array("encoding".utf8)) else { return nil }
        let isQuote = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        guard let open = declaration[word.upperBound...].firstIndex(where: isQuote),
            let close = declaration[(open + 1)...].firstIndex(of: bytes[open])
        else { return nil }
        return open + 1..<close
    }
}
