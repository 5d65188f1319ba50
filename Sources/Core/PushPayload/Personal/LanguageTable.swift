internal import PushModel

/// Languages by their tags, to be looked up by what devices say (RFC 4647, 3.4): a tag fits a language that is the
/// same or goes on behind it, and the longest that fits is taken. `_` is `-`, and case makes no difference.
///
/// What Apple and Android put behind a locale's name (`@calendar=…`, `.UTF-8`) does not count.
@usableFromInline
struct LanguageTable: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        /// In lower case, with hyphens.
        var tag: [UInt8]
        var place: Int
    }

    /// The longest tags first.
    private var entries: [Entry] = []

    /// Names of a language that systems use beside the one that is usual today: Java wrote the older codes for
    /// long, and `nb` is what devices say for Norwegian.
    private static let otherNames = [("he", "iw"), ("id", "in"), ("yi", "ji"), ("fil", "tl"), ("nb", "no")]

    /// - Parameter tags: none twice, each with the place that looking it up gives.
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

    /// - Parameter language: as a device said it; empty: it said none.
    /// - Returns: nil: none fits.
    @unsafe func place(of language: UnsafeRawBufferPointer) -> Int? {
        for index in entries.indices where unsafe fits(entries[index].tag, language) {
            return entries[index].place
        }
        return nil
    }

    /// Unsafe for speed: this runs once per message. What is read is within the language.
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
