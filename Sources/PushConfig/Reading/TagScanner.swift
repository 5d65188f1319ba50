/// A start tag in the bytes of a document: where it, its attributes and their values begin.
struct ScannedTag {
    struct Attribute {
        var name: ArraySlice<UInt8>
        /// Of the first character after the quote.
        var valueOffset: Int
        var nameOffset: Int { name.startIndex }
    }
    var name: ArraySlice<UInt8>
    /// Of its `<`.
    var offset: Int
    var attributes: [Attribute] = []
}

/// Finds the tags of a document in its bytes.
///
/// `XMLParser` decides what a document means, but tells of an element only where its tag ends, and of an attribute
/// not at all. This walks the same bytes and numbers the start tags, so that the parser's n-th element is the
/// scanner's n-th tag. On the way it meets the common slips, and can say where they *began*, which the parser,
/// standing at the end, cannot.
///
/// **Promises.** It refuses every document type declaration before the parser sees one: there are no entities to
/// expand and nothing outside to fetch. Of a document that the parser accepts it finds each start tag.
struct TagScanner {
    /// Ten times Campaign's largest tag. Each attribute is compared with those before it.
    static let maximumAttributes = 500
    /// Ten times Campaign's deepest. Whoever walks the tree does so by calling himself.
    static let maximumDepth = 64

    private let source: SourceText
    private var at: Int
    private(set) var tags: [ScannedTag] = []
    /// Indexes of tags that are not yet closed.
    private var open: [Int] = []

    init(_ source: SourceText) {
        self.source = source
        at = source.start
    }

    /// All start tags in their order, or the first slip.
    static func tags(of source: SourceText) throws(SourceTrouble) -> [ScannedTag] {
        var scanner = TagScanner(source)
        try scanner.scan()
        return scanner.tags
    }

    private mutating func scan() throws(SourceTrouble) {
        while at < source.bytes.count {
            let text = at
            at = source.bytes[at...].firstIndex(of: UInt8(ascii: "<")) ?? source.bytes.count
            if open.isEmpty, let stray = source.bytes[text..<at].firstIndex(where: { !isSpace($0) }) {
                throw trouble(
                    stray, tags.isEmpty ? "this is not XML: a tag is expected here" : "text after the last tag")
            }
            guard at < source.bytes.count else { break }
            if starts("<!--") {
                try skipComment()
            } else if starts("<![CDATA["), !open.isEmpty {
                try skip("<![CDATA[", to: "]]>", what: "this CDATA section")
            } else if starts("<!") {
                throw trouble(at, "document types and entities are not read: remove this declaration")
            } else if starts("<?") {
                try skipInstruction()
            } else if starts("</") {
                try endTag()
            } else {
                try startTag()
            }
        }
        if let last = open.last {
            throw trouble(tags[last].offset, "the tag \(shown(tags[last].name)) is opened here and never closed")
        }
        if tags.isEmpty { throw trouble(source.bytes.count, "the file is empty: a tag is expected here") }
    }

    private mutating func startTag() throws(SourceTrouble) {
        let offset = at
        at += 1
        var tag = ScannedTag(name: word(), offset: offset)
        if tag.name.isEmpty { throw trouble(offset, "'<' without a name: write &lt; for the character itself") }
        if open.isEmpty, let root = tags.first {
            throw trouble(offset, "a second outermost tag: everything belongs into \(shown(root.name))")
        }
        while true {
            let hadSpace = skipSpace()
            guard at < source.bytes.count, source.bytes[at] != UInt8(ascii: "<") else {
                throw trouble(offset, "the tag \(shown(tag.name)) does not end: its '>' is missing")
            }
            if starts(">") || starts("/>") { break }
            let attribute = try attribute(afterSpace: hadSpace)
            if let other = tag.attributes.first(where: { $0.name == attribute.name }) {
                let first = source.position(at: other.nameOffset)
                throw trouble(
                    attribute.nameOffset,
                    "attribute \(shown(attribute.name)) stands twice in its tag, first at \(first.line):\(first.column)"
                )
            }
            tag.attributes.append(attribute)
            if tag.attributes.count > Self.maximumAttributes {
                throw trouble(offset, "this tag has too many attributes")
            }
        }
        tags.append(tag)
        if source.bytes[at] == UInt8(ascii: ">") { open.append(tags.count - 1) }
        if open.count > Self.maximumDepth { throw trouble(offset, "tags are nested too deeply") }
        at += source.bytes[at] == UInt8(ascii: ">") ? 1 : 2
    }

    private mutating func attribute(afterSpace: Bool) throws(SourceTrouble) -> ScannedTag.Attribute {
        let name = word()
        if name.isEmpty { throw trouble(at, "unexpected character in a tag: an attribute or '>' is expected here") }
        if !afterSpace { throw trouble(name.startIndex, "a space is missing before attribute \(shown(name))") }
        skipSpace()
        guard starts("=") else {
            throw trouble(name.startIndex, "attribute \(shown(name)) has no value: write name=\"value\"")
        }
        at += 1
        skipSpace()
        guard starts("\"") || starts("'") else {
            throw trouble(at, "the value of attribute \(shown(name)) must stand in quotes")
        }
        let value = at + 1
        guard let end = source.bytes[value...].firstIndex(where: { $0 == source.bytes[at] || $0 == UInt8(ascii: "<") }),
            source.bytes[end] == source.bytes[at]
        else {
            throw trouble(
                value, "the value of attribute \(shown(name)) has no closing quote (a '<' in it is written &lt;)")
        }
        at = end + 1
        return .init(name: name, valueOffset: value)
    }

    private mutating func endTag() throws(SourceTrouble) {
        let offset = at
        at += 2
        let name = word()
        skipSpace()
        guard starts(">") else {
            throw trouble(offset, "the closing tag \(shown(name)) does not end: its '>' is missing")
        }
        guard let opened = open.popLast() else {
            throw trouble(offset, "nothing is open that \(shown(name)) could close")
        }
        guard tags[opened].name == name else {
            let start = source.position(at: tags[opened].offset)
            let inner = "\(shown(tags[opened].name)), opened at \(start.line):\(start.column)"
            throw trouble(offset, "closing tag \(shown(name)) where \(inner), is still open")
        }
        at += 1
    }

    /// A name: up to what cannot be in one. Whether it is a proper one is the parser's to say.
    private mutating func word() -> ArraySlice<UInt8> {
        let start = at
        while at < source.bytes.count, !endsName(source.bytes[at]) { at += 1 }
        return source.bytes[start..<at]
    }

    /// "--" ends a comment or is a slip (XML 1.0 §2.5), so one look for it is enough.
    private mutating func skipComment() throws(SourceTrouble) {
        let start = at
        at += 4
        while let dash = source.bytes[min(at, source.bytes.count)...].firstIndex(of: UInt8(ascii: "-")) {
            at = dash
            if starts("-->") {
                at += 3
                return
            }
            if starts("--") {
                let isClosed = source.bytes[dash...].firstRange(of: Array("-->".utf8)) != nil
                guard isClosed else { break }
                throw trouble(dash, "'--' may not stand in a comment")
            }
            at += 1
        }
        throw trouble(start, "this comment is opened here and never closed")
    }

    /// Foundation's parser reads a missing content as text and traps.
    private mutating func skipInstruction() throws(SourceTrouble) {
        let start = at
        try skip("<?", to: "?>", what: "this instruction")
        let inside = source.bytes[start + 2..<at - 2]
        guard let space = inside.firstIndex(where: isSpace), inside[space...].contains(where: { !isSpace($0) }) else {
            throw trouble(start, "an instruction without content: remove it")
        }
    }

    private mutating func skip(_ opening: StaticString, to end: String, what: String) throws(SourceTrouble) {
        let body = at + opening.utf8CodeUnitCount
        let end = Array(end.utf8)
        var next = min(body, source.bytes.count)
        while let found = source.bytes[next...].firstIndex(of: end[0]) {
            next = found + 1
            guard source.bytes[found...].starts(with: end) else { continue }
            at = found + end.count
            return
        }
        throw trouble(at, "\(what) is opened here and never closed")
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = at
        while at < source.bytes.count, isSpace(source.bytes[at]) { at += 1 }
        return at > start
    }

    private func starts(_ text: String) -> Bool { source.bytes[at...].starts(with: text.utf8) }
    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    private func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, 0x22, 0x27, 0x2F, 0x3C, 0x3D, 0x3E: true  // blanks " ' / < = >
        default: false
        }
    }
    private func shown(_ name: ArraySlice<UInt8>) -> String { quoted(name) }
    private func trouble(_ offset: Int, _ message: String) -> SourceTrouble {
        SourceTrouble(position: source.position(at: offset), message: message)
    }
}
