import Foundation
import Testing

/// A documentation page in Markdown, with its code blocks.
///
/// All `sh` and `console` blocks on a page form one script, in their order. A `console` block is a session:
/// lines that begin with `$ ` are commands, and the other lines are their output. In the output, `…` stands
/// for any text, and a line `…` for any number of lines. A block that cannot run in a test has the reason as
/// its second word: `root` (a privilege or system service), `apple` (credentials from Apple or Google) or
/// `peer` (another product).
struct DocumentPage: CustomTestStringConvertible {
    struct Block {
        let language: String
        /// The reason why a test cannot run the block; empty if it can.
        let obstacle: String
        let text: String
        let line: Int
    }

    static let obstacles = ["root", "apple", "peer"]

    /// The path, relative to the repository.
    let path: String
    let text: String
    let blocks: [Block]

    var testDescription: String { path }

    init(path: String, text: String) {
        self.path = path
        self.text = text
        var blocks: [Block] = []
        var begun: (fence: Substring, words: [Substring], line: Int, indentation: Int)?
        var lines: [Substring] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.drop { $0 == " " }
            let fence = content.prefix { $0 == "`" }
            if fence.count >= 3, begun == nil || content == begun?.fence {
                if let (_, words, first, _) = begun {
                    blocks.append(
                        Block(
                            language: words.first.map(String.init) ?? "",
                            obstacle: words.dropFirst().joined(separator: " "),
                            text: lines.joined(separator: "\n"), line: first))
                    begun = nil
                } else {
                    begun = (
                        fence, content.dropFirst(fence.count).split(separator: " "), index + 1,
                        line.count - content.count
                    )
                    lines = []
                }
            } else if let begun {
                lines.append(line.dropFirst(min(begun.indentation, line.prefix { $0 == " " }.count)))
            }
        }
        self.blocks = blocks
    }

    /// All pages in the repository.
    static let all: [DocumentPage] = {
        let root = PushMTATests.repository
        let pages =
            FileManager.default.enumerator(atPath: root.appending(path: "Docs").path)?
            .compactMap { ($0 as? String).map { "Docs/" + $0 } }.filter { $0.hasSuffix(".md") } ?? []
        let names = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"] + pages.sorted()
        return names.map { name in
            let text = try? String(contentsOf: root.appending(path: name), encoding: .utf8)
            return DocumentPage(path: name, text: text ?? "")
        }
    }()

    /// The blocks that are run, as a shell script and the outputs that it must have.
    var session: DocumentSession {
        var session = DocumentSession()
        for block in blocks where block.obstacle.isEmpty {
            switch block.language {
            case "sh": session.add(script: block.text)
            case "console": session.add(session: block.text, line: block.line)
            default: break
            }
        }
        return session
    }

    // MARK: Links

    /// The targets of all links to files in the repository, except links in code blocks.
    var links: [String] {
        let prose = text.replacing(/(?m)^ *(`{3,})[^`\n]*$(?s:.*?)^ *\1 *$/, with: "")
        return prose.matches(of: /\]\((?<target>[^)\s]+)\)/).map { String($0.output.target) }
            .filter { $0.firstMatch(of: /^[a-z]+:/) == nil }
    }

    /// The anchors of the page's headings, as GitHub derives them, and the explicit anchors.
    var anchors: Set<String> {
        let prose = text.replacing(/(?m)^ *(`{3,})[^`\n]*$(?s:.*?)^ *\1 *$/, with: "")
        var counts: [String: Int] = [:]
        var anchors = Set(prose.matches(of: /<a (?:id|name)="(?<name>[^"]+)"/).map { String($0.output.name) })
        for heading in prose.matches(of: /(?m)^#{1,6} (?<text>.+)$/) {
            let title = heading.output.text.replacing(/\[(?<shown>[^\]]*)\]\([^)]*\)/) { $0.output.shown }
            let slug = String(
                title.lowercased().compactMap { character -> Character? in
                    if character == " " { return "-" }
                    return character.isLetter || character.isNumber || "-_".contains(character)
                        ? character : nil
                })
            let earlier = counts[slug, default: 0]
            counts[slug] = earlier + 1
            anchors.insert(earlier == 0 ? slug : "\(slug)-\(earlier)")
        }
        return anchors
    }
}

/// A shell script made of the examples of a page, and the output that the page shows for its commands.
struct DocumentSession {
    struct Expectation {
        let command: String
        let output: String
        /// The line on the page at which the block with the command begins.
        let line: Int
    }

    private(set) var script = ""
    private(set) var expectations: [Expectation] = []
    // Control characters that no example prints: record and unit separator.
    private static let (begin, end) = ("\u{1E}", "\u{1F}")

    var isEmpty: Bool { script.isEmpty }

    mutating func add(script text: String) { script += text + "\n" }

    mutating func add(session text: String, line: Int) {
        var command: [Substring] = []
        var output: [Substring] = []
        func isContinued() -> Bool { command.last?.hasSuffix("\\") == true }
        func finish(_ session: inout DocumentSession) {
            guard !command.isEmpty else { return }
            session.add(
                Expectation(
                    command: command.joined(separator: "\n"), output: output.joined(separator: "\n"),
                    line: line))
            (command, output) = ([], [])
        }
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if part.hasPrefix("$ ") {
                finish(&self)
                command = [part.dropFirst(2)]
            } else if output.isEmpty, isContinued() {
                command.append(part)
            } else {
                output.append(part)
            }
        }
        finish(&self)
    }

    private mutating func add(_ expectation: Expectation) {
        script += "printf '\(Self.begin)%s\\n' \(expectations.count)\n"
        // A page may show a command that fails.
        script += "{ \(expectation.command)\n} 2>&1 || true\nprintf '\(Self.end)'\n"
        expectations.append(expectation)
    }

    /// Returns the expectations that the output of the script does not meet, with the actual output.
    func differences(in output: String) -> [String] {
        var actual: [Int: String] = [:]
        for part in output.split(separator: Self.begin).dropFirst(output.hasPrefix(Self.begin) ? 0 : 1) {
            guard let end = part.range(of: Self.end), let line = part.firstIndex(of: "\n"),
                let number = Int(part[..<line])
            else { continue }
            actual[number] = String(part[part.index(after: line)..<end.lowerBound])
        }
        return expectations.enumerated().compactMap { number, expectation in
            guard let text = actual[number] else {
                return "line \(expectation.line): '\(expectation.command)' was not reached"
            }
            guard !Self.matches(text, expectation.output) else { return nil }
            return "line \(expectation.line): '\(expectation.command)' printed:\n\(text)"
        }
    }

    static func matches(_ text: String, _ pattern: String) -> Bool {
        var regex = ""
        for line in pattern.trimmingCharacters(in: .newlines).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line == "…" {
                regex += #"(?:[^\n]*\n)*?"#
            } else {
                regex += line.components(separatedBy: "…").map(NSRegularExpression.escapedPattern)
                    .joined(separator: #"[^\n]*?"#)
                regex += #"[ \t]*\n"#
            }
        }
        let whole = text.trimmingCharacters(in: .newlines) + "\n"
        return whole.range(of: "^(?:\(regex))$", options: .regularExpression) == whole
            .startIndex..<whole.endIndex
    }
}
