import Foundation
import TestSupport
import Testing

/// Requires that the page names a test for each promise, and that each test on the page exists.
@Suite struct EvidencePageTests {
    /// Returns the lines of the page that state promises.
    private static func promises() throws -> [Substring] {
        let text = try String(contentsOf: Repository.file("Docs/Inside/Evidence.md"), encoding: .utf8)
        let part = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("Promises\n") })
        return part.split(separator: "\n")
    }

    @Test func `every promise of the page names a test`() throws {
        var open: Substring?
        var count = 0
        for line in try Self.promises() {
            if line.hasPrefix("- ") {
                #expect(open == nil, "without a test: \(open ?? "")")
                open = line
                count += 1
            } else if line.hasPrefix("  - ") {
                open = nil
            } else if line.hasPrefix("#") {
                #expect(open == nil, "without a test: \(open ?? "")")
            }
        }
        #expect(open == nil, "without a test: \(open ?? "")")
        #expect(count > 20)
    }

    @Test func `every test that the page names exists`() throws {
        let tests = try NamedTests()
        for line in try Self.promises() where line.hasPrefix("  - ") {
            let match = try #require(line.wholeMatch(of: #/ {2}- `(\w+)` · \*(.+)\*/#), "not a test: \(line)")
            try tests.require(match.2, in: match.1)
        }
    }
}

/// Requires that each row of the comparison with Campaign's documents names an existing test, unless the row
/// belongs to the app.
@Suite struct CampaignParityPageTests {
    /// The number of rows of the comparison.
    private static let rowCount = 121

    @Test func `every row names an existing test or belongs to the app`() throws {
        let text = try String(
            contentsOf: Repository.file("Docs/Reference/CampaignParity.md"), encoding: .utf8)
        let tests = try NamedTests()
        let rows = text.split(separator: "\n").filter { $0.prefixMatch(of: #/\| \d/#) != nil }
        for (index, row) in rows.enumerated() {
            let cells = row.dropFirst(2).dropLast(2).split(separator: " | ")
            try #require(cells.count == 4, "\(row)")
            #expect(cells[0] == "\(index + 1)")
            if cells[3] == "the app" { continue }
            let match = try #require(cells[3].wholeMatch(of: #/`(\w+)` · \*(.+)\*/#), "not a test: \(row)")
            try tests.require(match.2, in: match.1)
        }
        #expect(rows.count == Self.rowCount)
    }
}

/// The tests of all targets, by the file that contains them.
private struct NamedTests {
    private let texts: [String: String]

    init() throws {
        var texts: [String: String] = [:]
        for file in Repository.swiftFiles(in: Repository.file("Tests")) {
            // Suites in different targets may have the same name.
            let name = file.deletingPathExtension().lastPathComponent
            texts[name, default: ""] += try String(contentsOf: file, encoding: .utf8)
        }
        self.texts = texts
    }

    func require(_ test: Substring, in file: Substring) throws {
        let text = try #require(texts[String(file)], "no such file: \(file)")
        let isThere = ["func `", "func\n        `"].contains { text.contains($0 + test + "`") }
        #expect(isThere, "\(file) has no test '\(test)'")
    }
}
