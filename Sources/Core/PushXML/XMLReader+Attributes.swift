extension XMLReader {
    /// Reads the rest of a tag after its name, up to its `>` or `/>`.
    mutating func readAttributes(
        of tag: ArraySlice<UInt8>, from start: SourcePosition
    ) throws(XMLError) -> [DocumentElement.Attribute] {
        var attributes: [DocumentElement.Attribute] = []
        var names: Set<ArraySlice<UInt8>> = []
        while true {
            let afterBlank = source.skipBlanks()
            guard let byte = source.peek(), byte != UInt8(ascii: "<") else {
                throw XMLError(
                    position: start, message: "the tag \(quoted(tag)) is not closed: its '>' is missing")
            }
            if byte == UInt8(ascii: ">") || source.starts(with: "/>") { return attributes }
            let (name, attribute) = try readAttribute(afterBlank: afterBlank)
            guard names.insert(name).inserted else {
                let first = attributes.first { $0.name.utf8.elementsEqual(name) }?.namePosition ?? start
                throw XMLError(
                    position: attribute.namePosition,
                    message:
                        """
                        attribute \(quoted(name)) appears twice in its tag, first at \
                        \(first.line):\(first.column)
                        """
                )
            }
            attributes.append(attribute)
            if attributes.count > limits.attributesOfElement {
                throw XMLError(position: start, message: "this tag has too many attributes")
            }
        }
    }

    private mutating func readAttribute(
        afterBlank: Bool
    ) throws(XMLError) -> (ArraySlice<UInt8>, DocumentElement.Attribute) {
        let start = source.at
        let name = try readName()
        if name.isEmpty {
            throw source.error(start, "unexpected character in a tag: expected an attribute or '>'")
        }
        if !afterBlank { throw source.error(start, "missing space before attribute \(quoted(name))") }
        let place = source.position(of: start)
        source.skipBlanks()
        guard source.skip("=") else {
            throw source.error(start, "attribute \(quoted(name)) has no value: write name=\"value\"")
        }
        source.skipBlanks()
        guard let quote = source.peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw source.error(source.at, "the value of attribute \(quoted(name)) must be in quotes")
        }
        source.at += 1
        let valuePlace = source.position(of: source.at)
        let value = try readValue(of: name, to: quote)
        let attribute = DocumentElement.Attribute(
            name: String(decoding: name, as: UTF8.self), value: value, namePosition: place,
            valuePosition: valuePlace)
        return (name, attribute)
    }

    /// Reads a value, including its closing quote. Line ends and white space become spaces (XML 1.0 §2.11,
    /// §3.3.3), unless they are written as references.
    private mutating func readValue(of name: ArraySlice<UInt8>, to quote: UInt8) throws(XMLError) -> String {
        let start = source.at
        var value: [UInt8] = []
        while let byte = source.peek(), byte != quote {
            switch byte {
            case UInt8(ascii: "<"): throw noClosingQuote(name, start)
            case UInt8(ascii: "&"):
                value += UTF8.encode(try readReference()) ?? UTF8.encodedReplacementCharacter
            default:
                if byte == 0x0D, source.peek(1) == 0x0A { source.at += 1 }
                value.append(XMLCharacters.isBlank(byte) ? 0x20 : byte)
                source.at += 1
            }
        }
        if source.isAtEnd { throw noClosingQuote(name, start) }
        guard source.at - start <= limits.bytesOfValue else {
            throw source.error(
                start,
                "the value of attribute \(quoted(name)) is too long, maximum: \(limits.bytesOfValue) bytes")
        }
        source.at += 1
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func noClosingQuote(_ name: ArraySlice<UInt8>, _ start: Int) -> XMLError {
        let hint = "(write '<' in a value as &lt;)"
        return source.error(start, "the value of attribute \(quoted(name)) has no closing quote \(hint)")
    }
}
