/// The values of a content member that belongs to one gateway: `ios` or `android`. An instance without values
/// represents a content without the member.
package protocol ContentSection: Equatable, Sendable {
    init()
    /// The section's name in documents. Its paths begin with this name.
    static var name: String { get }
    /// The paths, within the section, of the texts that are sent outside the payload. These texts are the
    /// same for all messages of a delivery.
    static var fixedPaths: Set<String> { get }
    /// Every text with its path within the section, for ``Content/texts``.
    var texts: [(path: String, text: String)] { get }
}

/// The sections of a content, keyed by type. A gateway extends ``Content`` with a property for its section.
struct ContentSections: Equatable, Sendable {
    /// The sections in the order in which they were first set; no type twice.
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
