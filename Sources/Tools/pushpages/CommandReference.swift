/// The reference page of a program's commands, in Markdown.
package struct CommandReference {
    package let text: String

    /// - Parameter introduction: The text before the list of commands.
    package init(of tree: HelpTree, introduction: String) {
        let root = tree.command
        var page = MarkdownWriter()
        page.paragraph("# Command reference")
        page.paragraph(introduction)
        page.prose(root.discussion)
        page.paragraph("Every command accepts these options, before or after its name:")
        Self.table(&page, root.shown)
        if let json = root.leaves.lazy.compactMap({ $0.shown.first(where: \.isJSON) }).first {
            page.paragraph("Most commands also accept this option:")
            Self.table(&page, [json])
        }
        page.table(
            ["command", "does"],
            root.leaves.map { [page.link("`\(Self.title(of: $0))`", to: $0.words), page.cell($0.abstract)] })
        for command in root.commands { Self.section(&page, command, level: 2, alongside: root) }
        text = page.text
    }

    /// Returns the words of a command without the program's name.
    private static func title(of command: HelpCommand) -> String {
        command.words.dropFirst().joined(separator: " ")
    }

    private static func section(
        _ page: inout MarkdownWriter, _ command: HelpCommand, level: Int, alongside root: HelpCommand
    ) {
        page.paragraph(String(repeating: "#", count: level) + " " + command.words.joined(separator: " "))
        page.prose(command.abstract)
        let common = root.shown.flatMap { $0.names ?? [] }
        let own = command.shown.filter { argument in
            !(argument.names ?? []).contains { common.contains($0) }
        }
        if command.commands.isEmpty {
            page.code([command.words.joined(separator: " ")] + own.map(\.usage))
        }
        page.prose(command.discussion)
        table(&page, own.filter { !$0.isJSON })
        for inner in command.commands { section(&page, inner, level: level + 1, alongside: root) }
    }

    private static func table(_ page: inout MarkdownWriter, _ arguments: [HelpArgument]) {
        page.table(["argument", "meaning"], arguments.map { [$0.code, page.cell($0.meaning)] })
    }
}

extension HelpArgument {
    fileprivate var isJSON: Bool { preferredName?.text == "--json" }

    /// The argument as users type it, with all of its names.
    fileprivate var code: String {
        guard let names, !names.isEmpty else { return "`<\(valueName ?? "value")>`" }
        return names.map { "`\($0.text)\(value)`" }.joined(separator: ", ")
    }

    /// The argument as users type it, in brackets if it is optional.
    fileprivate var usage: String {
        let text =
            (preferredName.map { $0.text + value } ?? "<\(valueName ?? "value")>") + (isRepeating ? " …" : "")
        return isOptional ? "[\(text)]" : text
    }

    private var value: String { kind == .flag ? "" : " <\(valueName ?? "value")>" }

    fileprivate var meaning: String {
        var sentences = [abstract, discussion].compactMap { $0 }.filter { !$0.isEmpty }
        // Some help texts already state the possible values.
        let isSaid = sentences.contains { $0.contains("(values: ") }
        if let values = allValues, !values.isEmpty, !isSaid {
            sentences.append("One of \(values.map { "`\($0)`" }.joined(separator: ", ")).")
        }
        if let value = defaultValue { sentences.append("Default: `\(value)`.") }
        return sentences.joined(separator: " ")
    }
}

/// A writer for Markdown in GitHub's form.
struct MarkdownWriter {
    private(set) var blocks: [String] = []
    var text: String { blocks.joined(separator: "\n\n") + "\n" }
    /// The maximum width of a usage line.
    private static let width = 100

    mutating func paragraph(_ text: String) { blocks.append(text) }

    private static let example = "Example: "

    /// Writes paragraphs, which are separated by empty lines. An example is a command line.
    mutating func prose(_ text: String?) {
        for paragraph in (text ?? "").split(separator: "\n").filter({ !$0.allSatisfy(\.isWhitespace) }) {
            if paragraph.hasPrefix(Self.example) {
                blocks.append("\(Self.example)`\(paragraph.dropFirst(Self.example.count))`")
            } else {
                blocks.append(Self.escaped(String(paragraph)))
            }
        }
    }

    /// Writes words as a code block. Lines are broken only between words.
    mutating func code(_ words: [String]) {
        var lines = [""]
        for word in words {
            let last = lines[lines.count - 1]
            if !last.isEmpty, last.count + 1 + word.count > Self.width {
                lines.append("    " + word)
            } else {
                lines[lines.count - 1] += (last.isEmpty ? "" : " ") + word
            }
        }
        blocks.append("```text\n\(lines.joined(separator: "\n"))\n```")
    }

    /// Writes a table, or nothing if there are no rows.
    mutating func table(_ head: [String], _ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        let lines = [head, head.map { _ in "---" }] + rows
        blocks.append(lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n"))
    }

    func cell(_ text: String?) -> String {
        Self.escaped((text ?? "").split(separator: "\n").joined(separator: " "))
            .replacing("|", with: "\\|")
    }

    /// Returns a link to the heading with these words.
    func link(_ text: String, to words: [String]) -> String {
        "[\(text)](#\(words.joined(separator: "-").lowercased()))"
    }

    /// Escapes characters that would begin a tag or an emphasis, except in code.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).map(String.init).enumerated()
            .map { index, part in
                guard index.isMultiple(of: 2) else { return part }
                return ["<", "*", "_"].reduce(part) { $0.replacing($1, with: "\\\($1)") }
            }.joined(separator: "`")
    }
}
