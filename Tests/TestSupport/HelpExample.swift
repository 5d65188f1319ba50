/// The command line in the last paragraph of a command's help, such as `Example: pushmta delivery pause 17`.
package struct HelpExample {
    private static let mark = "Example: "

    /// The words that a shell passes to the program, without the program's name.
    package let words: [String]

    /// - Parameters:
    ///   - help: The discussion of the command.
    ///   - command: The names of the program and the command.
    /// - Returns: `nil` if the last paragraph is not an example of this command.
    package init?(in help: String, of command: String) {
        guard let line = help.split(separator: "\n").last, line.hasPrefix(Self.mark) else { return nil }
        let before = help.dropLast(line.count)
        guard before.isEmpty || before.hasSuffix("\n\n") else { return nil }
        let words = Self.words(of: line.dropFirst(Self.mark.count))
        let names = command.split(separator: " ").map(String.init)
        guard words.starts(with: names) else { return nil }
        self.words = Array(words.dropFirst())
    }

    /// Splits a line into words as a shell does, up to a redirection. Quotation marks enclose words with
    /// spaces.
    private static func words(of line: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var quotation: Character?
        for character in line {
            if character == quotation {
                quotation = nil
            } else if quotation == nil, character == "\"" || character == "'" {
                (quotation, word) = (character, word ?? "")
            } else if quotation == nil, character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return Array(words.prefix { $0 != ">" })
    }
}
