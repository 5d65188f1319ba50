/// Markup that is no tag.
extension XMLReader {
    /// What begins with `<!`.
    mutating func readDeclaration() throws(XMLTrouble) {
        let start = source.at
        if source.skip("<!--") { return try skipComment(from: start) }
        if !open.isEmpty, source.skip("<![CDATA[") {
            open[open.count - 1].element.hasText = true
            if source.skip(past: "]]>") != nil { return }
            throw source.trouble(start, "this CDATA section is opened here and never closed")
        }
        throw source.trouble(start, "document types and entities are not read: remove this declaration")
    }

    /// "--" ends a comment or is a slip (XML 1.0 §2.5), so one look for it is enough.
    private mutating func skipComment(from start: Int) throws(XMLTrouble) {
        let dashes = source.skip(past: "--")
        if dashes != nil, source.skip(">") { return }
        if let dashes {
            source.at = dashes
            if source.skip(past: "-->") != nil {
                throw source.trouble(dashes, "'--' may not stand in a comment")
            }
        }
        throw source.trouble(start, "this comment is opened here and never closed")
    }

    /// XML 1.0 §2.6.
    mutating func skipInstruction() throws(XMLTrouble) {
        let start = source.at
        source.at += 2
        let name = try readName()
        if name.isEmpty { throw source.trouble(start, "a processing instruction without a name") }
        if String(decoding: name, as: UTF8.self).lowercased() == "xml" {
            throw source.trouble(start, "the XML declaration may stand only at the very beginning")
        }
        if source.skip("?>") { return }
        guard source.isAtEnd || source.skipBlanks() else {
            throw source.trouble(source.at, "a space or ?> is expected here")
        }
        if source.skip(past: "?>") == nil {
            throw source.trouble(start, "this instruction is opened here and never closed")
        }
    }
}
