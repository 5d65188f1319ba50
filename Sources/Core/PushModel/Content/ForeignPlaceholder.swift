/// A placeholder in the syntax of another system. It is sent literally.
///
/// | written | used by |
/// |---|---|
/// | `<%= recipient.city %>` | Campaign |
/// | `{city}`, `${city}`, `%city%` | other systems and programming languages |
package struct ForeignPlaceholder: Hashable, Sendable {
    /// The placeholder as it is written.
    package let spelling: String
    /// The name of the value, without the names of the objects that contain it; `nil` if the placeholder is
    /// more than a name.
    package let name: String?

    package init(spelling: String, name: String?) {
        self.spelling = spelling
        self.name = name
    }

    /// Returns the placeholders in a text, in their order, each once.
    package static func all(in text: String) -> [ForeignPlaceholder] {
        // Most texts have no placeholder, and a service checks many texts.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "%") }) else {
            return []
        }
        var reader = ForeignPlaceholderReader(text)
        return reader.all()
    }
}

extension Content {
    /// A text with placeholders of other systems.
    package struct ForeignText: Hashable, Sendable {
        package let path: String
        package let text: String
        /// Whether placeholders for parameters are not allowed in this text either.
        package let isFixed: Bool
        /// At least one.
        package let placeholders: [ForeignPlaceholder]
    }

    /// The texts with placeholders of other systems. The texts of the content's languages are not included.
    package var foreignTexts: [ForeignText] {
        texts.compactMap { path, text in
            let placeholders = ForeignPlaceholder.all(in: text)
            guard !placeholders.isEmpty else { return nil }
            return ForeignText(path: path, text: text, isFixed: isFixed(path), placeholders: placeholders)
        }
    }
}

/// Finds names between the marks of other systems. A mark is only recognised together with a name, so that
/// `20 % off` and `{"id":7}` are not placeholders.
private struct ForeignPlaceholderReader {
    private let scalars: [Unicode.Scalar]
    private var place = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func all() -> [ForeignPlaceholder] {
        var found: [ForeignPlaceholder] = []
        while place < scalars.count {
            guard let (end, name) = placeholder() else {
                skip()
                continue
            }
            let spelling = text(place..<end)
            if !found.contains(where: { $0.spelling == spelling }) {
                found.append(ForeignPlaceholder(spelling: spelling, name: name))
            }
            place = end
        }
        return found
    }

    /// Returns the end of the placeholder that begins here; `nil` if none begins here.
    private func placeholder() -> (end: Int, name: String?)? {
        switch (scalars[place], scalar(place + 1)) {
        case ("<", "%"): tag()
        case ("$", "{"): braces(from: place + 1)
        case ("{", _): braces(from: place)
        case ("%", _): percents()
        default: nil
        }
    }

    /// Continues after one scalar, or after a whole run of the same brace or percent sign (such as `{{`),
    /// because such a run has a meaning of its own.
    private mutating func skip() {
        let first = scalars[place]
        place += 1
        guard first == "{" || first == "%" else { return }
        while scalar(place) == first { place += 1 }
    }

    /// Reads a placeholder such as `<%= recipient.city %>`.
    private func tag() -> (end: Int, name: String?)? {
        var end = place + 2
        while !(scalar(end) == "%" && scalar(end + 1) == ">") {
            guard end < scalars.count else { return nil }
            end += 1
        }
        var inside = scalars[(place + 2)..<end]
        if inside.first == "=" { inside.removeFirst() }
        while inside.first == " " { inside.removeFirst() }
        while inside.last == " " { inside.removeLast() }
        let isName = !inside.isEmpty && nameEnd(from: inside.startIndex) == inside.endIndex
        return (end + 2, isName ? lastName(inside.indices) : nil)
    }

    /// Reads a name in single braces.
    private func braces(from brace: Int) -> (end: Int, name: String?)? {
        guard let first = afterSpaces(brace + 1), let last = nameEnd(from: first),
            let end = afterSpaces(last), scalars[end] == "}"
        else { return nil }
        return (end + 1, lastName(first..<last))
    }

    /// Reads a name in percent signs. In an address, a percent sign precedes two hexadecimal digits; in a
    /// sentence, it follows a digit.
    private func percents() -> (end: Int, name: String?)? {
        if place > 0, isNamePart(scalars[place - 1]) { return nil }
        guard let end = nameEnd(from: place + 1), scalar(end) == "%" else { return nil }
        if isHexDigit(scalar(end + 1)), isHexDigit(scalar(end + 2)) { return nil }
        return (end + 1, lastName((place + 1)..<end))
    }

    /// Returns the end of a name; `nil` if no name begins at the index.
    private func nameEnd(from start: Int) -> Int? {
        guard let first = scalar(start), first == "_" || first.properties.isAlphabetic else { return nil }
        var end = start + 1
        while let next = scalar(end), isNamePart(next) { end += 1 }
        return end
    }

    private func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "_", ".", "-": true
        default: scalar.properties.isAlphabetic
        }
    }

    private func isHexDigit(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return scalar.properties.isASCIIHexDigit
    }

    /// Returns the part of a name after its last period.
    private func lastName(_ range: Range<Int>) -> String? {
        let period = range.last(where: { scalars[$0] == "." })
        let first = period.map { $0 + 1 } ?? range.lowerBound
        return first < range.upperBound ? text(first..<range.upperBound) : nil
    }

    /// Returns the index of the first scalar that is not a space; `nil` at the end of the text.
    private func afterSpaces(_ start: Int) -> Int? {
        var index = start
        while scalar(index) == " " { index += 1 }
        return index < scalars.count ? index : nil
    }

    private func scalar(_ index: Int) -> Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private func text(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range])
        return String(text)
    }
}
