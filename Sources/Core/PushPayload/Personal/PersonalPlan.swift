internal import PushModel

/// A template's use of each message's parameters: names, places for values, and sections.
@usableFromInline
struct PersonalPlan: Equatable, Sendable {
    struct Value: Equatable, Sendable {
        /// The index into ``PersonalPlan/names``.
        var name: Int
        /// The fallback as it is spelled in a JSON string; `nil` if a message without the parameter is not
        /// sent.
        var fallback: [UInt8]?
        /// The format in which the value is written; `nil` if it is written unchanged.
        var format: ValueFormat?
    }

    struct Section: Equatable, Sendable {
        /// The index into ``PersonalPlan/names``.
        var name: Int
        /// Whether the section is for recipients who lack the parameter.
        var isInverted: Bool
        /// The place where the template continues for recipients who do not get the section.
        var endCut: Int
        var endLiteral: Int
    }

    /// The maximum number of parameter names in one content. The ranges of the parameters' values are kept on
    /// the stack and take at most 1 KiB.
    static let maximumNames = 64
    static func tooManyNames(_ count: Int) -> PayloadError {
        .places(["the placeholders use \(count) parameters; the maximum is \(maximumNames)"])
    }

    /// The names of parameters, without duplicates, as they are spelled between the quotation marks of JSON
    /// strings.
    private(set) var names: [[UInt8]] = []
    /// The same names as texts.
    private(set) var plainNames: [String] = []
    var values: [Value] = []
    var sections: [Section] = []
    /// The number of literal bytes of the template within sections.
    var bytesInSections = 0
    /// The minimum total size of values outside sections, in bytes.
    var minValueBytes = 0
    /// The total size, in bytes, of everything within texts that may be cut, outside sections: the literals,
    /// and the part of ``minValueBytes`` that belongs to these texts.
    var bytesBetweenEdges = 0
    /// How each language formats numbers and dates; `nil` if no value needs this.
    var formats: LanguageFormats?

    /// Describes what a message lacks: the name of a parameter. If the message has a value that cannot be
    /// written in the required format, a colon and the format follow.
    /// - Parameter code: Twice the index of the value, plus one if the parameter has a value.
    func missing(_ code: Int) -> String {
        let value = values[code >> 1]
        let name = plainNames[value.name]
        guard code & 1 == 1, let format = value.format else { return name }
        return "\(name):\(format.text)"
    }

    /// Returns the index of a name. A new name is added.
    mutating func index(of name: String) -> Int {
        let bytes = EscapedBytes.of(name)
        if let known = names.firstIndex(of: bytes) { return known }
        names.append(bytes)
        plainNames.append(name)
        return names.count - 1
    }
}
