/// Parses bytes into a tree of elements, each with its position. It supports the part of XML 1.0 that
/// settings files and device registrations use.
///
/// A document type is rejected at its position. Custom entities and references to anything outside the bytes
/// are therefore impossible. Encodings that are not supersets of ASCII are rejected too. Instructions are
/// skipped. A colon is a letter.
///
/// **Promises.** Any input results in a tree or in one ``XMLError`` whose position is within the document.
/// A tree means that the document is well-formed. Time and memory depend only on the number of bytes.
package struct XMLReader {
    let limits: XMLLimits
    let text: XMLSource
    var source: XMLCursor
    /// Elements whose closing tag has not been read yet, each with its name as written. Names are compared by
    /// their bytes, because strings compare as equal in more cases.
    var open: [(element: DocumentElement, name: ArraySlice<UInt8>)] = []
    var root: DocumentElement?
    private var elements = 0

    package init(_ bytes: [UInt8], _ text: XMLSource = .document, within limits: XMLLimits) {
        self.limits = limits
        self.text = text
        source = XMLCursor(bytes)
    }

    package static func root(
        of bytes: [UInt8], _ text: XMLSource = .document, within limits: XMLLimits
    ) throws(XMLError) -> DocumentElement {
        var reader = XMLReader(bytes, text, within: limits)
        return try reader.read()
    }

    /// The number of bytes examined, counting repeated examinations.
    package var looks: Int { source.looks }

    /// Returns the outermost element. The function must be called only once.
    package mutating func read() throws(XMLError) -> DocumentElement {
        try readStart()
        while let byte = source.peek() {
            guard byte == UInt8(ascii: "<") else {
                try readText()
                continue
            }
            switch source.peek(1) {
            case UInt8(ascii: "/"): try readEndTag()
            case UInt8(ascii: "?"): try skipInstruction()
            case UInt8(ascii: "!"): try readDeclaration()
            default: try readStartTag()
            }
        }
        if let last = open.last {
            throw XMLError(
                position: last.element.position,
                message: "the tag \(quoted(last.name)) is not closed")
        }
        guard let root else {
            throw source.error(source.at, "the document is empty: expected a tag")
        }
        return root
    }

    /// Reads text up to the next tag or the end.
    private mutating func readText() throws(XMLError) {
        var brackets = 0
        while let byte = source.peek(), byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&"), !open.isEmpty {
                if !XMLCharacters.isBlank(try readReference()) { open[open.count - 1].element.hasText = true }
                brackets = 0
                continue
            }
            if !XMLCharacters.isBlank(byte) { try noteText() }
            if byte == UInt8(ascii: ">"), brackets >= 2 {
                throw source.error(source.at - 2, "']]>' in a text must be written as ]]&gt;")
            }
            brackets = byte == UInt8(ascii: "]") ? brackets + 1 : 0
            source.at += 1
        }
    }

    private mutating func noteText() throws(XMLError) {
        if open.isEmpty {
            throw source.error(
                source.at, root == nil ? "this is not XML: expected a tag" : "text after the last tag"
            )
        }
        open[open.count - 1].element.hasText = true
    }

    private mutating func readStartTag() throws(XMLError) {
        let start = source.at
        source.at += 1
        let name = try readName()
        if name.isEmpty {
            throw source.error(start, "'<' without a name: write the character itself as &lt;")
        }
        if open.isEmpty, let root {
            throw source.error(
                start,
                "a second root element: everything must be inside \(quoted(Array(root.name.utf8)[...]))"
            )
        }
        let text = String(decoding: name, as: UTF8.self)
        var element = DocumentElement(name: text, position: source.position(of: start))
        element.attributes = try readAttributes(of: name, from: element.position)
        elements += 1
        if elements > limits.elements {
            throw XMLError(position: element.position, message: "too many tags")
        }
        if open.count >= limits.depth {
            throw XMLError(position: element.position, message: "tags are nested too deeply")
        }
        if source.skip(">") {
            open.append((element, name))
        } else {
            source.at += 2
            close(element)
        }
    }

    private mutating func readEndTag() throws(XMLError) {
        let start = source.at
        source.at += 2
        let name = try readName()
        if name.isEmpty { throw source.error(start, "a closing tag without a name") }
        source.skipBlanks()
        guard source.skip(">") else {
            throw source.error(start, "the closing tag \(quoted(name)) is incomplete: its '>' is missing")
        }
        guard let last = open.popLast() else {
            throw source.error(start, "\(quoted(name)) closes a tag that is not open")
        }
        guard last.name == name else {
            let place = last.element.position
            let inner = "\(quoted(last.name)), opened at \(place.line):\(place.column)"
            throw source.error(start, "closing tag \(quoted(name)) while \(inner), is still open")
        }
        close(last.element)
    }

    private mutating func close(_ element: DocumentElement) {
        if open.isEmpty { root = element } else { open[open.count - 1].element.children.append(element) }
    }

    /// Returns the name, or an empty slice if there is none at this position.
    mutating func readName() throws(XMLError) -> ArraySlice<UInt8> {
        let start = source.at
        while let (scalar, length) = source.scalar() {
            let belongs =
                source.at == start ? XMLCharacters.startsName(scalar) : XMLCharacters.continuesName(scalar)
            guard belongs else { break }
            source.at += length
        }
        let name = source.bytes[start..<source.at]
        guard name.count <= limits.bytesOfName else {
            throw source.error(
                start, "the name \(quoted(name)) is too long, maximum: \(limits.bytesOfName) bytes")
        }
        return name
    }

    // MARK: Markup other than tags

    /// Reads markup that begins with `<!`.
    private mutating func readDeclaration() throws(XMLError) {
        let start = source.at
        if source.skip("<!--") { return try skipComment(from: start) }
        if !open.isEmpty, source.skip("<![CDATA[") {
            open[open.count - 1].element.hasText = true
            if source.skip(past: "]]>") != nil { return }
            throw source.error(start, "this CDATA section is not closed")
        }
        throw source.error(start, "document types and entities are not supported: remove this declaration")
    }

    /// "--" either ends a comment or is an error (XML 1.0 §2.5), so a single search for it is enough.
    private mutating func skipComment(from start: Int) throws(XMLError) {
        let dashes = source.skip(past: "--")
        if dashes != nil, source.skip(">") { return }
        if let dashes {
            source.at = dashes
            if source.skip(past: "-->") != nil {
                throw source.error(dashes, "'--' is not allowed in a comment")
            }
        }
        throw source.error(start, "this comment is not closed")
    }

    /// XML 1.0 §2.6.
    private mutating func skipInstruction() throws(XMLError) {
        let start = source.at
        source.at += 2
        let name = try readName()
        if name.isEmpty { throw source.error(start, "a processing instruction without a name") }
        if String(decoding: name, as: UTF8.self).lowercased() == "xml" {
            throw source.error(start, "the XML declaration is allowed only at the very start")
        }
        if source.skip("?>") { return }
        guard source.isAtEnd || source.skipBlanks() else {
            throw source.error(source.at, "expected a space or ?>")
        }
        if source.skip(past: "?>") == nil {
            throw source.error(start, "this processing instruction is not closed")
        }
    }

    // MARK: References

    /// Returns the character that `&…;` represents and skips the reference.
    mutating func readReference() throws(XMLError) -> Unicode.Scalar {
        let start = source.at
        source.at += 1
        if source.skip("#") { return try readCharacterReference(from: start) }
        let name = try readName()
        if name.isEmpty {
            throw source.error(
                start, "expected a name after & (write the character & itself as &amp;)")
        }
        guard source.skip(";") else {
            throw source.error(start, "an entity without its ';' (write the character & itself as &amp;)")
        }
        guard let byte = XMLCharacters.predefined(name) else {
            throw source.error(
                start, "unknown entity: only &amp; &lt; &gt; &quot; &apos; and &#number; are supported")
        }
        return Unicode.Scalar(byte)
    }

    /// Reads the rest of a reference after `&#`: XML 1.0 §4.1, production 66.
    private mutating func readCharacterReference(from start: Int) throws(XMLError) -> Unicode.Scalar {
        let base = source.skip("x") ? 16 : 10
        let digits = source.at
        var value: UInt32 = 0
        while let byte = source.peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
            digit < base
        {
            // Once the value is beyond all characters, it remains there.
            value = min(value * UInt32(base) + UInt32(digit), 0x11_0000)
            source.at += 1
        }
        guard source.at > digits, source.skip(";") else {
            throw source.error(start, "incomplete character reference: write &#number; or &#xnumber;")
        }
        guard XMLCharacters.isAllowed(value), let scalar = Unicode.Scalar(value) else {
            throw source.error(start, "a character not allowed in XML")
        }
        return scalar
    }
}

/// The source of a document's bytes, which determines whether its declared encoding applies.
package enum XMLSource: Sendable {
    /// A file or a body. Its declaration states the encoding of its bytes.
    case document
    /// A text that is already decoded, such as a form field. It is UTF-8, whatever its declaration states.
    /// For example, .NET declares UTF-16 because its strings use UTF-16.
    case decodedText
}

/// Limits on the size of a document. Whatever the limits are, the time and memory for reading depend only on
/// the number of bytes. A document that exceeds the limits is not considered genuine.
package struct XMLLimits: Sendable {
    /// The size of the document as received.
    package var bytes: Int
    /// The depth of nested elements, including the outermost one. Code that walks the tree is recursive.
    package var depth: Int
    package var elements: Int
    package var attributesOfElement: Int
    package var bytesOfName: Int
    /// The size of an attribute's value as written.
    package var bytesOfValue: Int

    package init(
        bytes: Int, depth: Int, elements: Int, attributesOfElement: Int, bytesOfName: Int, bytesOfValue: Int
    ) {
        self.bytes = bytes
        self.depth = min(depth, Self.deepest)
        self.elements = elements
        self.attributesOfElement = attributesOfElement
        self.bytesOfName = bytesOfName
        self.bytesOfValue = bytesOfValue
    }

    /// The maximum depth. A deeper tree could overflow the stack, because releasing a tree is also recursive.
    private static let deepest = 1_000
}
