internal import PushModel

/// What a template asks of each message's parameters: names, places for values, and sections.
@usableFromInline
struct PersonalPlan: Equatable, Sendable {
    struct Value: Equatable, Sendable {
        /// Index into ``PersonalPlan/names``.
        var name: Int
        /// As a JSON string has it; nil: a message without the parameter is not sent.
        var fallback: [UInt8]?
        /// How it is to be written; nil: as it is.
        var format: ValueFormat?
    }

    struct Section: Equatable, Sendable {
        /// Index into ``PersonalPlan/names``.
        var name: Int
        /// Whether it is there for those who lack the parameter.
        var isInverted: Bool
        /// Where the template goes on for whom it is not there.
        var endCut: Int
        var endLiteral: Int
    }

    /// Of one content. Where their values are is noted on the stack, in at most a KiB.
    static let maximumNames = 64
    static func tooManyNames(_ count: Int) -> PayloadError {
        .places(["{{ asks for \(count) parameters; allowed are \(maximumNames)"])
    }

    /// Of parameters, each once, as JSON strings have them between their quotation marks.
    private(set) var names: [[UInt8]] = []
    /// The same as texts.
    private(set) var plainNames: [String] = []
    var values: [Value] = []
    var sections: [Section] = []
    /// Literals of the template that stand within sections.
    var bytesInSections = 0
    /// The shortest that values outside of sections can be, together.
    var leastValueBytes = 0
    /// The part of these and of the literals that stands in texts that may be cut, outside of sections.
    var bytesBetweenEdges = 0
    /// How languages write numbers and dates; nil: nobody asks.
    var formats: LanguageFormats?

    /// What a message lacks: a parameter's name, and behind a colon the format that its value does not have.
    /// - Parameter code: twice the place among the values, and one more where there is a value.
    func missing(_ code: Int) -> String {
        let value = values[code >> 1]
        let name = plainNames[value.name]
        guard code & 1 == 1, let format = value.format else { return name }
        return "\(name):\(format.text)"
    }

    /// The index of a name, which is added where it is new.
    mutating func index(of name: String) -> Int {
        let bytes = EscapedBytes.of(name)
        if let known = names.firstIndex(of: bytes) { return known }
        names.append(bytes)
        plainNames.append(name)
        return names.count - 1
    }
}
