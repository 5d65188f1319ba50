/// Bytes → a tree of elements, each with its place: of XML 1.0 what files of settings and registrations of
/// devices use.
///
/// Not read, and refused where it stands: document types, hence entities of their own, hence anything outside
/// the bytes; encodings that are not supersets of ASCII. Skipped: instructions. A colon is a letter.
///
/// **Promises.** Any bytes give a tree or one ``XMLTrouble`` whose place lies in the document. A tree means
/// that the document is well-formed. Time and memory grow with the bytes and with nothing else.
package struct XMLReader {
    let limits: XMLLimits
    let text: XMLSource
    var source: XMLCursor
    /// Elements whose closing tag is to come, each with its name as it is written: names are the same when
    /// their bytes are, and strings are equal sooner.
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
    ) throws(XMLTrouble) -> DocumentElement {
        var reader = XMLReader(bytes, text, within: limits)
        return try reader.read()
    }

    /// How often a byte was looked at.
    package var looks: Int { source.looks }

    /// The outermost element. To be called once.
    package mutating func read() throws(XMLTrouble) -> DocumentElement {
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
            throw XMLTrouble(
                position: last.element.position,
                message: "the tag \(quoted(last.name)) is opened here and never closed")
        }
        guard let root else {
            throw source.trouble(source.at, "the document is empty: a tag is expected here")
        }
        return root
    }

    /// Up to the next tag, or to the end.
    private mutating func readText() throws(XMLTrouble) {
        var brackets = 0
        while let byte = source.peek(), byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&"), !open.isEmpty {
                if !XMLCharacters.isBlank(try readReference()) { open[open.count - 1].element.hasText = true }
                brackets = 0
                continue
            }
            if !XMLCharacters.isBlank(byte) { try noteText() }
            if byte == UInt8(ascii: ">"), brackets >= 2 {
                throw source.trouble(source.at - 2, "']]>' in text is written ]]&gt;")
            }
            brackets = byte == UInt8(ascii: "]") ? brackets + 1 : 0
            source.at += 1
        }
    }

    private mutating func noteText() throws(XMLTrouble) {
        if open.isEmpty {
            throw source.trouble(
                source.at, root == nil ? "this is not XML: a tag is expected here" : "text after the last tag"
            )
        }
        open[open.count - 1].element.hasText = true
    }

    private mutating func readStartTag() throws(XMLTrouble) {
        let start = source.at
        source.at += 1
        let name = try readName()
        if name.isEmpty {
            throw source.trouble(start, "'<' without a name: write &lt; for the character itself")
        }
        if open.isEmpty, let root {
            throw source.trouble(
                start, "a second outermost tag: everything belongs into \(quoted(Array(root.name.utf8)[...]))"
            )
        }
        let text = String(decoding: name, as: UTF8.self)
        var element = DocumentElement(name: text, position: source.position(of: start))
        element.attributes = try readAttributes(of: name, from: element.position)
        elements += 1
        if elements > limits.elements {
            throw XMLTrouble(position: element.position, message: "too many tags")
        }
        if open.count >= limits.depth {
            throw XMLTrouble(position: element.position, message: "tags are nested too deeply")
        }
        if source.skip(">") {
            open.append((element, name))
        } else {
            source.at += 2
            close(element)
        }
    }

    private mutating func readEndTag() throws(XMLTrouble) {
        let start = source.at
        source.at += 2
        let name = try readName()
        if name.isEmpty { throw source.trouble(start, "a closing tag without a name") }
        source.skipBlanks()
        guard source.skip(">") else {
            throw source.trouble(start, "the closing tag \(quoted(name)) does not end: its '>' is missing")
        }
        guard let last = open.popLast() else {
            throw source.trouble(start, "nothing is open that \(quoted(name)) could close")
        }
        guard last.name == name else {
            let place = last.element.position
            let inner = "\(quoted(last.name)), opened at \(place.line):\(place.column)"
            throw source.trouble(start, "closing tag \(quoted(name)) where \(inner), is still open")
        }
        close(last.element)
    }

    private mutating func close(_ element: DocumentElement) {
        if open.isEmpty { root = element } else { open[open.count - 1].element.children.append(element) }
    }

    /// Empty where none stands here.
    mutating func readName() throws(XMLTrouble) -> ArraySlice<UInt8> {
        let start = source.at
        while let (scalar, length) = source.scalar() {
            let belongs =
                source.at == start ? XMLCharacters.startsName(scalar) : XMLCharacters.continuesName(scalar)
            guard belongs else { break }
            source.at += length
        }
        let name = source.bytes[start..<source.at]
        guard name.count <= limits.bytesOfName else {
            throw source.trouble(
                start, "the name \(quoted(name)) is too long, allowed: \(limits.bytesOfName) bytes")
        }
        return name
    }
}

/// Where the bytes of a document come from, which decides whether its declared encoding still holds.
package enum XMLSource: Sendable {
    /// A file or a body: its declaration names the encoding of its bytes.
    case document
    /// A text that was decoded already, such as a field of a form: UTF-8, whatever its declaration says. .NET
    /// declares UTF-16 because its strings are.
    case decodedText
}
