import Foundation
import Testing

/// Requires that the page names a test for each promise, and that each test on the page exists.
@Suite struct EvidencePageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardized

    /// Returns the lines of the page that state promises.
    private static func promises() throws -> [Substring] {
        let text = try String(contentsOf: root.appending(path: "Docs/Inside/Evidence.md"), encoding: .utf8)
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
        let tests = Self.root.appending(path: "Tests")
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var texts: [String: String] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            // Suites in different targets may have the same name.
            let name = file.deletingPathExtension().lastPathComponent
            texts[name, default: ""] += try String(contentsOf: file, encoding: .utf8)
        }
        for line in try Self.promises() where line.hasPrefix("  - ") {
            let match = try #require(line.wholeMatch(of: #/ {2}- `(\w+)` · \*(.+)\*/#), "not a test: \(line)")
            let text = try #require(texts[String(match.1)], "no such file: \(match.1)")
            let isThere = ["func `", "func\n        `"].contains { text.contains($0 + match.2 + "`") }
            #expect(isThere, "\(match.1) has no test '\(match.2)'")
        }
    }
}
