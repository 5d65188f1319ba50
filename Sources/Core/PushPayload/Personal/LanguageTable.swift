internal import PushModel

/// Languages keyed by their tags, looked up by the language that a device reports (RFC 4647, 3.4). A tag
/// matches a language that is equal to the tag or that begins with the tag and a hyphen. The longest matching
/// tag is used. `_` is equivalent to `-`, and case is ignored.
///
/// Suffixes that Apple and Android add to a locale's name (`@calendar=…`, `.UTF-8`) are ignored.
@usableFromInline
struct LanguageTable: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        /// The tag in lower case, with hyphens.
        var tag: [UInt8]
        var place: Int
    }

    /// The longest tags come first.
    private var entries: [Entry] = []

    /// Pairs of codes for the same language: today's usual code, and another one that some systems use. Java
    /// used the older codes for a long time, and devices report `nb` for Norwegian.
    private static let otherNames = [("he", "iw"), ("id", "in"), ("yi", "ji"), ("fil", "tl"), ("nb", "no")]

    /// - Parameter tags: Distinct tags, each with the place that a lookup returns.
    init(_ tags: [(tag: LanguageTag, place: Int)]) {
        var known = Set(tags.map { $0.tag.text.lowercased() })
        entries = tags.map { Entry(tag: Array($0.tag.text.lowercased().utf8), place: $0.place) }
        for (tag, place) in tags {
            let name = tag.text.lowercased()
            let language = name.prefix { $0 != "-" }
            for (one, other) in Self.otherNames where language == one || language == other {
                let alias = (language == one ? other : one) + name.dropFirst(language.count)
                if known.insert(alias).inserted {
                    entries.append(Entry(tag: Array(alias.utf8), place: place))
                }
            }
        }
        entries.sort { ($1.tag.count, $0.place) < ($0.tag.count, $1.place) }
    }

    /// - Parameter language: The language as a device reported it; empty if it reported none.
    /// - Returns: `nil` if no tag matches.
    @unsafe func place(of language: UnsafeRawBufferPointer) -> Int? {
        for index in entries.indices where unsafe fits(entries[index].tag, language) {
            return entries[index].place
        }
        return nil
    }

    /// Unsafe for speed: this runs once per message. All reads are within the language.
    @unsafe private func fits(_ tag: [UInt8], _ language: UnsafeRawBufferPointer) -> Bool {
        guard language.count >= tag.count else { return false }
        for index in tag.indices where unsafe tag[index] != Self.plain(language[index]) { return false }
        guard language.count > tag.count else { return true }
        switch unsafe language[tag.count] {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "."): return true
        default: return false
        }
    }

    private static func plain(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "_"): UInt8(ascii: "-")
        default: byte
        }
    }
}
