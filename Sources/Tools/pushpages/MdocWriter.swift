/// Text and macros of mdoc(7), each on lines of its own.
package struct MdocWriter {
    package private(set) var lines: [String] = []
    var text: String { lines.joined(separator: "\n") + "\n" }
    /// Wider lines are filled by readers all the same, and are hard to compare.
    private static let width = 78

    package init() {}

    /// A macro with arguments that hold no macro's name.
    mutating func macro(_ name: String, _ arguments: String...) {
        lines.append(([".\(name)"] + arguments.map(Self.escaped)).joined(separator: " "))
    }

    /// A macro whose arguments are further macros and escaped already.
    mutating func raw(_ line: String) { lines.append(line) }

    /// Items with a tag each.
    mutating func list<Item>(_ items: [Item], _ write: (inout MdocWriter, Item) -> Void) {
        raw(".Bl -tag -width Ds")
        for item in items { write(&self, item) }
        raw(".El")
    }

    /// A paragraph behind another, where there is one.
    mutating func furtherProse(_ text: String?) {
        guard let text else { return }
        macro("Pp")
        prose(text)
    }

    /// Paragraphs, which an empty line parts; a sentence begins a line, as formatters want it.
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

    /// A backslash begins an escape, and a minus that may be typed is no hyphen.
    static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    }

    /// A point or an apostrophe at the beginning of a line would make it a macro.
    private static func protected(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
