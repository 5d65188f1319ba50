import Foundation
import TestSupport
import Testing

/// The store's statements have the same text for all databases: they use numbered parameters and only words
/// that SQLite and PostgreSQL have in common. Only the SQLite folder uses SQLite's library.
@Suite struct StoreTextRuleTests {
    private static let store = Repository.target("PushStore")

    private func files() throws -> [(name: String, text: String)] {
        try Repository.swiftFiles(in: Self.store).map {
            (
                String($0.path.dropFirst(Self.store.path.count + 1)),
                try String(contentsOf: $0, encoding: .utf8)
            )
        }
    }

    @Test func `only the SQLite folder uses SQLite's library`() throws {
        let files = try files().filter { !$0.name.hasPrefix("SQLite/") }
        #expect(files.count > 60)
        for file in files { #expect(!file.text.contains("import GRDB"), "\(file.name)") }
    }

    @Test
    func `SQL parameters are numbered, and no statement contains a hint or a keyword for one database only`()
        throws
    {
        let unnumbered = /(?:[=<>,(]|LIMIT|AND|BETWEEN|OFFSET) \?(?![\d\\])|\(\?(?![\d\\])/
        for file in try files() {
            #expect(file.text.firstMatch(of: unnumbered) == nil, "\(file.name): number its parameters, as ?1")
            for word in ["INDEXED BY", "ifnull(", "iif(", "INSERT OR ", "UPDATE OR ", "last_insert_rowid"] {
                #expect(!file.text.contains(word), "\(file.name): \(word)")
            }
        }
    }
}
