/// A writer for mdoc(7), which writes text and macros on separate lines.
package struct MdocWriter {
    package private(set) var lines: [String] = []
    var text: String { lines.joined(separator: "\n") + "\n" }
    /// The maximum width of a line of text. Formatters refill the lines in any case, but wide lines are hard
    /// to compare in a diff.
    private static let width = 78

    package init() {}

    /// Writes a macro whose arguments contain no macro names.
    mutating func macro(_ name: String, _ arguments: String...) {
        lines.append(([".\(name)"] + arguments.map(Self.escaped)).joined(separator: " "))
    }

    /// Writes a macro whose arguments are further macros, and are already escaped.
    mutating func raw(_ line: String) { lines.append(line) }

    /// Writes a list in which each item has a tag.
    mutating func list<Item>(_ items: [Item], _ write: (inout MdocWriter, Item) -> Void) {
        raw(".Bl -tag -width Ds")
        for item in items { write(&self, item) }
        raw(".El")
    }

    /// Writes a further paragraph, unless the text is `nil`.
    mutating func furtherProse(_ text: String?) {
        guard let text else { return }
        macro("Pp")
        prose(text)
    }

    /// Writes paragraphs, which are separated by empty lines. Each sentence begins a line, as formatters
    /// expect.
    package mutating func prose(_ text: String) {
        let paragraphs = text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 { macro("Pp") }
            for sentence in Self.sentences(paragraph) { fill(sentence) }
        }
    }

    private mutating func fill(_ words: [Substring]) {
        var line = ""
        for word in words {
            if !line.isEmpty, line.count + 1 + word.count > Self.width {
                lines.append(Self.protected(line))
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + Self.escaped(String(word))
        }
        if !line.isEmpty { lines.append(Self.protected(line)) }
    }

    static func sentences(_ text: some StringProtocol) -> [[Substring]] {
        var sentences: [[Substring]] = [[]]
        for word in text.split(whereSeparator: \.isWhitespace).map({ Substring($0) }) {
            sentences[sentences.count - 1].append(word)
            let backwards = word.reversed().drop { ")'\"".contains($0) }
            if let last = backwards.first, ".!?".contains(last), backwards.count > 1 { sentences.append([]) }
        }
        return sentences.filter { !$0.isEmpty }
    }

    /// Escapes backslashes, because each would begin an escape sequence. Escapes minus signs, because users
    /// may type the text and formatters would otherwise turn the signs into hyphens.
    static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    }

    /// Returns a line in a form that formatters do not treat as a macro, even if the line begins with a full
    /// stop or an apostrophe.
    private static func protected(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
