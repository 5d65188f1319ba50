/// A text with placeholders that each subscriber's parameters fill.
///
/// | written | meaning |
/// |---|---|
/// | `{{city}}` | the parameter; a subscriber without it is not sent the message |
/// | `{{city\|your town}}` | the parameter, or the text after the bar |
/// | `{{sum:number(2)}}` | the parameter in the given ``ValueFormat``; missing if its value is not a number |
/// | `{{city:url}}` | the parameter, percent-encoded |
/// | `{{#vip}}…{{/vip}}` | included for subscribers whose parameter is neither empty nor `0` nor `false` |
/// | `{{^vip}}…{{/vip}}` | included for all others |
/// | `{{{{` | two braces |
///
/// An empty parameter counts as missing.
package struct PersonalText: Equatable, Sendable {
    package indirect enum Piece: Equatable, Sendable {
        case text(String)
        /// The value of a parameter. If `fallback` is `nil`, a subscriber without the parameter is not sent
        /// the message.
        case value(of: String, as: ValueFormat? = nil, fallback: String?)
        /// The text between `{{#…}}` and `{{/…}}`, or between `{{^…}}` and `{{/…}}`.
        case section(of: String, isInverted: Bool, [Piece])
    }

    package let pieces: [Piece]

    /// Maximum length of a parameter name, in bytes.
    package static let maximumNameBytes = 128
    /// Maximum nesting depth of sections.
    package static let maximumDepth = 8
    /// Maximum number of placeholders in one text.
    package static let maximumPlaces = 64

    package init(_ text: String) throws(PersonalTextError) {
        var reader = PersonalTextReader(text)
        pieces = try reader.all()
    }

    /// The names of all parameters that the text uses, each once.
    package var names: Set<String> { Self.names(in: pieces) }

    /// The names of the parameters that a subscriber must have to be sent the message, each once.
    package var neededNames: Set<String> { Self.neededNames(in: pieces) }

    private static func neededNames(in pieces: [Piece]) -> Set<String> {
        pieces.reduce(into: []) { names, piece in
            switch piece {
            case .value(let name, _, nil): names.insert(name)
            case .section(_, _, let inner): names.formUnion(neededNames(in: inner))
            case .text, .value: break
            }
        }
    }

    private static func names(in pieces: [Piece]) -> Set<String> {
        pieces.reduce(into: []) { names, piece in
            switch piece {
            case .text: break
            case .value(let name, _, _): names.insert(name)
            case .section(let name, _, let inner):
                names.insert(name)
                names.formUnion(Self.names(in: inner))
            }
        }
    }
}

/// An error in a placeholder of a text.
package struct PersonalTextError: Error, Equatable, CustomStringConvertible {
    /// The position of the `{{` of the faulty placeholder, in characters, from 1.
    package var character: Int
    package var problem: String

    package init(character: Int, problem: String) {
        self.character = character
        self.problem = problem
    }

    package var description: String { "{{ at character \(character): \(problem)" }
}

/// Reads the placeholders of a text byte by byte, so that a character that combines with a brace does not
/// hide the brace.
private struct PersonalTextReader {
    private var rest: Substring.UTF8View
    private let whole: String
    private var places = 0

    init(_ text: String) {
        whole = text
        rest = text[...].utf8
    }

    private static let opening = Array(Content.personalisationMark.utf8)

    private enum Place {
        case braces
        case value(String, as: ValueFormat?, fallback: String?)
        case opening(String, isInverted: Bool)
        case closing(String)
    }

    mutating func all() throws(PersonalTextError) -> [PersonalText.Piece] {
        try pieces(within: nil, depth: 0)
    }

    /// Reads the pieces up to the end of the text or of a section.
    /// - Parameter section: The section that is open, and where it was opened; `nil` outside sections.
    private mutating func pieces(
        within section: (name: String, opened: String.Index)?, depth: Int
    ) throws(PersonalTextError) -> [PersonalText.Piece] {
        var pieces: [PersonalText.Piece] = []
        var text = ""
        func flush() {
            if !text.isEmpty { pieces.append(.text(text)) }
            text = ""
        }
        while let mark = rest.firstPair(of: UInt8(ascii: "{")) {
            text += Substring(rest[..<mark.lowerBound])
            rest = rest[mark.upperBound...]
            switch try place(at: mark.lowerBound) {
            case .braces: text += Content.personalisationMark
            case .value(let name, let format, let fallback):
                flush()
                pieces.append(.value(of: name, as: format, fallback: fallback))
            case .opening(let name, let isInverted):
                flush()
                guard depth < PersonalText.maximumDepth else {
                    throw error(
                        mark.lowerBound, "sections are nested deeper than \(PersonalText.maximumDepth) levels"
                    )
                }
                let inner = try self.pieces(within: (name, mark.lowerBound), depth: depth + 1)
                pieces.append(.section(of: name, isInverted: isInverted, inner))
            case .closing(let name):
                guard let section else {
                    throw error(mark.lowerBound, "closes \(Self.quoted(name)), which is not open")
                }
                guard section.name == name else {
                    throw error(
                        mark.lowerBound,
                        "closes \(Self.quoted(name)), but \(Self.quoted(section.name)) is open")
                }
                flush()
                return pieces
            }
        }
        if let section { throw error(section.opened, "section \(Self.quoted(section.name)) is not closed") }
        text += Substring(rest)
        flush()
        return pieces
    }

    /// Reads the part of a placeholder after `{{`, including its end.
    private mutating func place(at start: String.Index) throws(PersonalTextError) -> Place {
        if rest.starts(with: Self.opening) {
            rest = rest.dropFirst(Self.opening.count)
            return .braces
        }
        guard let end = rest.firstPair(of: UInt8(ascii: "}")) else {
            throw error(start, "is not closed by }}")
        }
        let inside = Substring(rest[..<end.lowerBound])
        rest = rest[end.upperBound...]
        places += 1
        guard places <= PersonalText.maximumPlaces else {
            throw error(start, "more than \(PersonalText.maximumPlaces) placeholders in one text")
        }
        let scalars = inside.unicodeScalars
        let bar = scalars.firstIndex(of: "|")
        // The end belongs to a later placeholder.
        guard bar != nil || !Content.isPersonalised(String(inside)) else {
            throw error(start, "is not closed by }} before the next {{")
        }
        switch scalars.first {
        case "#": return .opening(try name(scalars.dropFirst(), start), isInverted: false)
        case "^": return .opening(try name(scalars.dropFirst(), start), isInverted: true)
        case "/": return .closing(try name(scalars.dropFirst(), start))
        default:
            guard let bar else { return try value(scalars, fallback: nil, start) }
            let fallback = String(scalars[scalars.index(after: bar)...])
            guard !Content.isPersonalised(fallback) else {
                throw error(
                    start,
                    "a default must not contain {{; use a section for text that depends on several parameters"
                )
            }
            return try value(scalars[..<bar], fallback: fallback, start)
        }
    }

    /// Reads a name and, after a colon, the format of its value.
    private func value(
        _ text: Substring.UnicodeScalarView, fallback: String?, _ start: String.Index
    ) throws(PersonalTextError) -> Place {
        guard let colon = text.firstIndex(of: ":") else {
            return .value(try name(text, start), as: nil, fallback: fallback)
        }
        let spelled = String(text[text.index(after: colon)...])
        guard let format = ValueFormat(spelled) else {
            throw error(
                start,
                """
                \(Self.quoted(spelled)) is not a format; allowed, directly after the colon: \
                \(ValueFormat.known)
                """
            )
        }
        return .value(try name(text[..<colon], start), as: format, fallback: fallback)
    }

    private func name(
        _ text: Substring.UnicodeScalarView, _ start: String.Index
    ) throws(PersonalTextError) -> String {
        let filled = text.indices.filter { text[$0] != " " }
        let name = filled.first.map { first in String(text[first...(filled.last ?? first)]) } ?? ""
        guard !name.isEmpty else { throw error(start, "does not name a parameter") }
        guard name.utf8.count <= PersonalText.maximumNameBytes else {
            throw error(start, "the name is longer than \(PersonalText.maximumNameBytes) bytes")
        }
        if let strange = name.unicodeScalars.first(where: { "{}#^/|:".unicodeScalars.contains($0) }) {
            throw error(start, "a name must not contain \(strange)")
        }
        return name
    }

    private func error(_ place: String.Index, _ problem: String) -> PersonalTextError {
        PersonalTextError(character: whole.distance(from: whole.startIndex, to: place) + 1, problem: problem)
    }

    private static func quoted(_ name: String) -> String { "\"\(name.printable(atMost: 64))\"" }
}
