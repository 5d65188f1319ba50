/// A member of a content that belongs to one gateway, as values: `ios`, `android`. Without any, it is a content that
/// does not have it.
package protocol ContentSection: Equatable, Sendable {
    init()
    /// Its name in documents, with which its paths begin.
    static var name: String { get }
    /// Paths within it of texts that go beside the payload: they are the same for all messages of a delivery.
    static var fixedPaths: Set<String> { get }
    /// Every text with its path within it, as ``Content/texts`` wants it.
    var texts: [(path: String, text: String)] { get }
}

/// A content's sections, each by its type. The gateway extends ``Content`` by a property for its section.
struct ContentSections: Equatable, Sendable {
    /// In the order in which they were first set; none twice.
    private(set) var all: [any ContentSection] = []

    subscript<Section: ContentSection>(_ type: Section.Type) -> Section {
        get { find(type) ?? Section() }
        set {
            if let place = all.firstIndex(where: { $0 is Section }) {
                all[place] = newValue
            } else {
                all.append(newValue)
            }
        }
    }

    private func find<Section: ContentSection>(_ type: Section.Type) -> Section? {
        for case let section as Section in all { return section }
        return nil
    }

    mutating func keepOnly(_ name: String?) { all.removeAll { type(of: $0).name != name } }

    static func == (one: Self, other: Self) -> Bool {
        one.all.allSatisfy { $0.isSame(in: other) } && other.all.allSatisfy { $0.isSame(in: one) }
    }
}

extension ContentSection {
    fileprivate func isSame(in sections: ContentSections) -> Bool { sections[Self.self] == self }
}
