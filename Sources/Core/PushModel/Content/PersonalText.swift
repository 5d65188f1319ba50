/// A text with places that each subscriber's parameters fill.
///
/// | written | is |
/// |---|---|
/// | `{{city}}` | the parameter; a subscriber without it is not sent to |
/// | `{{city\|your town}}` | the parameter, or what stands behind the bar |
/// | `{{sum:number(2)}}` | the parameter as ``ValueFormat`` says; what is no number is as one that is not there |
/// | `{{#vip}}…{{/vip}}` | there for subscribers whose parameter is neither empty nor `0` nor `false` |
/// | `{{^vip}}…{{/vip}}` | there for the others |
/// | `{{{{` | two braces |
///
/// A parameter that is empty is as one that is not there.
package struct PersonalText: Equatable, Sendable {
    package indirect enum Piece: Equatable, Sendable {
        case text(String)
        /// A parameter's value; nil: whoever has none is not sent to.
        case value(of: String, as: ValueFormat? = nil, fallback: String?)
        /// What stands between `{{#…}}` and `{{/…}}`, or `{{^…}}` and `{{/…}}`.
        case section(of: String, isInverted: Bool, [Piece])
    }

    package let pieces: [Piece]

    /// The longest name of a parameter, in bytes.
    package static let maximumNameBytes = 128
    /// Sections within one another.
    package static let maximumDepth = 8
    /// Places in one text.
    package static let maximumPlaces = 64

    package init(_ text: String) throws(PersonalTextError) {
        var reader = PersonalTextReader(text)
        pieces = try reader.all()
    }

    /// The names of all parameters that it asks for, each once.
    package var names: Set<String> { Self.names(in: pieces) }

    /// Those without which nobody is sent to, each once.
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

/// What is wrong with a text's places.
package struct PersonalTextError: Error, Equatable, CustomStringConvertible {
    /// Of the `{{` in question, from 1.
    package var character: Int
    package var problem: String

    package init(character: Int, problem: String) {
        self.character = character
        self.problem = problem
    }

    package var description: String { "{{ at character \(character): \(problem)" }
}

/// Reads the places of one text, byte by byte: what follows a brace and combines with it does not hide it.
private struct PersonalTextReader {
    private var rest: Substring.UTF8View
    private let whole: String
    private var places = 0

    init(_ text: String) {
        whole = text
        rest = text[...].utf8
    }

    private static let opening = Array(Content.personalisationMark.utf8)
    private static let closing = Array("}}".utf8)

    private enum Place {
        case braces
        case value(String, as: ValueFormat?, fallback: String?)
        case opening(String, isInverted: Bool)
        case closing(String)
    }

    mutating func all() throws(PersonalTextError) -> [PersonalText.Piece] {
        try pieces(within: nil, depth: 0)
    }

    /// - Parameter section: the one to be closed, and where it was opened.
    private mutating func pieces(
        within section: (name: String, opened: String.Index)?, depth: Int
    ) throws(PersonalTextError) -> [PersonalText.Piece] {
        var pieces: [PersonalText.Piece] = []
        var text = ""
        func flush() {
            if !text.isEmpty { pieces.append(.text(text)) }
            text = ""
        }
        while let mark = rest.firstRange(of: Self.opening) {
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
                        mark.lowerBound, "more than \(PersonalText.maximumDepth) sections in one another")
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
        if let section { throw error(section.opened, "section \(Self.quoted(section.name)) is never closed") }
        text += Substring(rest)
        flush()
        return pieces
    }

    /// What stands behind a `{{`, up to its end.
    private mutating func place(at start: String.Index) throws(PersonalTextError) -> Place {
        if rest.starts(with: Self.opening) {
            rest = rest.dropFirst(Self.opening.count)
            return .braces
        }
        guard let end = rest.firstRange(of: Self.closing) else { throw error(start, "is never closed by }}") }
        let inside = Substring(rest[..<end.lowerBound])
        rest = rest[end.upperBound...]
        places += 1
        guard places <= PersonalText.maximumPlaces else {
            throw error(start, "more than \(PersonalText.maximumPlaces) places in one text")
        }
        let scalars = inside.unicodeScalars
        switch scalars.first {
        case "#": return .opening(try name(scalars.dropFirst(), start), isInverted: false)
        case "^": return .opening(try name(scalars.dropFirst(), start), isInverted: true)
        case "/": return .closing(try name(scalars.dropFirst(), start))
        default:
            guard let bar = scalars.firstIndex(of: "|") else {
                return try value(scalars, fallback: nil, start)
            }
            let fallback = String(scalars[scalars.index(after: bar)...])
            guard !Content.isPersonalised(fallback) else {
                throw error(
                    start, "a default cannot have {{ in it; a section says what depends on more than one")
            }
            return try value(scalars[..<bar], fallback: fallback, start)
        }
    }

    /// A name, and behind a colon how its value is to be written.
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
                "\(Self.quoted(spelled)) is no format; known here: \(ValueFormat.known), right behind the colon"
            )
        }
        return .value(try name(text[..<colon], start), as: format, fallback: fallback)
    }

    private func name(
        _ text: Substring.UnicodeScalarView, _ start: String.Index
    ) throws(PersonalTextError) -> String {
        let filled = text.indices.filter { text[$0] != " " }
        let name = filled.first.map { first in String(text[first...(filled.last ?? first)]) } ?? ""
        guard !name.isEmpty else { throw error(start, "names no parameter") }
        guard name.utf8.count <= PersonalText.maximumNameBytes else {
            throw error(start, "a name of more than \(PersonalText.maximumNameBytes) bytes")
        }
        if let strange = name.unicodeScalars.first(where: { "{}#^/|:".unicodeScalars.contains($0) }) {
            throw error(start, "a name cannot have \(strange) in it")
        }
        return name
    }

    private func error(_ place: String.Index, _ problem: String) -> PersonalTextError {
        PersonalTextError(character: whole.distance(from: whole.startIndex, to: place) + 1, problem: problem)
    }

    private static func quoted(_ name: String) -> String { "\"\(name.printable(atMost: 64))\"" }
}
