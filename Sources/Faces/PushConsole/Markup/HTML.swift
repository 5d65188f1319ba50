package import PushModel

/// Markup of a page.
///
/// The text of a literal is markup. A text that is inserted with `\(…)` is escaped, so that it cannot become
/// markup; inserted markup stays markup. Only literals of the source can create markup, because a literal of
/// this type is a `StaticString`. The compiler therefore refuses to turn a text from outside into markup.
///
/// ```swift
/// let row: HTML = """
///     <tr><th scope="row"><a href="\(path)">\(name: view.name)</a></th><td>\(count: view.devices)</td></tr>
///     """
/// ```
package struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    package private(set) var text: String

    package init(stringLiteral literal: StaticString) { text = literal.description }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Creates the markup that shows a text.
    package init(_ text: String) { self.text = Self.escaped(text) }

    package static let empty: HTML = ""
    package var isEmpty: Bool { text.isEmpty }

    package static func += (left: inout HTML, right: HTML) { left.text += right.text }
    package static func + (left: HTML, right: HTML) -> HTML {
        var whole = left
        whole += right
        return whole
    }

    /// Escapes everything that has a meaning in markup and in attributes with quotation marks. A control
    /// character that HTML does not allow becomes a replacement character.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            case UInt8(ascii: "\n"), UInt8(ascii: "\t"): bytes.append(byte)
            case 0..<0x20, 0x7F: bytes += "\u{FFFD}".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: false
        }
    }
}

extension HTML {
    package struct StringInterpolation: StringInterpolationProtocol {
        package typealias StringLiteralType = StaticString
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 24 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

        /// Inserts a text, escaped.
        package mutating func appendInterpolation(_ text: String) { self.text += HTML.escaped(text) }

        /// Inserts a phrase in the reader's language, escaped.
        package mutating func appendInterpolation(_ phrase: Phrase) { text += HTML.escaped(phrase.text) }

        package mutating func appendInterpolation(_ html: HTML) { text += html.text }
        package mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }
        package mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }

        /// Inserts the address of a page of the console.
        package mutating func appendInterpolation(_ path: ConsolePath) { text += HTML.escaped(path.url) }

        /// Inserts an address outside the console. An address that is not `https` or `http` is not inserted,
        /// because a browser would run the script of a `javascript` address.
        package mutating func appendInterpolation(url: String) {
            let lowercased = url.lowercased()
            let isAllowed = lowercased.hasPrefix("https://") || lowercased.hasPrefix("http://")
            text += isAllowed ? HTML.escaped(url) : "#"
        }

        /// Inserts a name or a content that a person chose. Its writing direction does not affect the text
        /// around it.
        package mutating func appendInterpolation(name: String) {
            text += "<bdi>\(HTML.escaped(name))</bdi>"
        }

        /// Inserts a count with separators between groups of three digits.
        package mutating func appendInterpolation(count: Int) { text += Formats.count(count) }

        /// Inserts a number for programs, such as an id or the value of an attribute.
        package mutating func appendInterpolation(number: some BinaryInteger) { text += "\(number)" }

        /// Inserts a length in a drawing, with at most two decimals.
        package mutating func appendInterpolation(length: Double) { text += Formats.length(length) }

        /// Inserts a moment as an element `time`, in the reader's time zone.
        package mutating func appendInterpolation(moment: WallMoment) { text += Moments.element(moment).text }
        package mutating func appendInterpolation(moment: WallTime) {
            appendInterpolation(moment: WallMoment(moment))
        }

        /// Inserts an attribute that has no value, preceded by a space, if the condition is true.
        package mutating func appendInterpolation(_ attribute: StaticString, if condition: Bool) {
            if condition { text += " \(attribute)" }
        }

        /// Inserts an attribute with a value, preceded by a space; nothing if the value is `nil`.
        package mutating func appendInterpolation(_ attribute: StaticString, is value: String?) {
            if let value { text += " \(attribute)=\"\(HTML.escaped(value))\"" }
        }
    }
}

extension [HTML] {
    package func joined(by separator: HTML = "") -> HTML {
        var whole = HTML.empty
        for (index, part) in enumerated() {
            if index > 0 { whole += separator }
            whole += part
        }
        return whole
    }
}
