import Foundation
import Testing

/// A page in `Docs/Reference`, which is generated from the programs' own descriptions.
package struct ReferencePage {
    private let file: URL
    private let name: String

    package init(_ name: String) {
        self.name = name
        file = Repository.file("Docs/Reference/\(name)")
    }

    /// Fails if the page has a different text. If the environment contains PUSHMTA_WRITE_REFERENCE=1, the
    /// page is written instead: `make reference`.
    package func check(_ text: String) throws {
        if ProcessInfo.processInfo.environment["PUSHMTA_WRITE_REFERENCE"] == "1" {
            return try Data(text.utf8).write(to: file)
        }
        let present = String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
        guard present != text else { return }
        let (old, new) = (present.split(separator: "\n"), Set(text.split(separator: "\n")))
        let known = Set(old)
        let lines =
            old.filter { !new.contains($0) }.prefix(3).map { "- \($0)" }
            + text.split(separator: "\n").filter { !known.contains($0) }.prefix(3).map { "+ \($0)" }
        Issue.record(
            "Docs/Reference/\(name) is out of date; make reference writes it:\n\(lines.joined(separator: "\n"))"
        )
    }
}
