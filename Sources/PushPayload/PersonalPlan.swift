/// What a template asks of each message's parameters: names, places for values, and sections.
@usableFromInline
struct PersonalPlan: Equatable, Sendable {
    struct Value: Equatable, Sendable {
        /// Index into ``PersonalPlan/names``.
        var name: Int
        /// As a JSON string has it; nil: a message without the parameter is not sent.
        var fallback: [UInt8]?
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

    /// The index of a name, which is added where it is new.
    mutating func index(of name: String) -> Int {
        let bytes = EscapedBytes.of(name)
        if let known = names.firstIndex(of: bytes) { return known }
        names.append(bytes)
        plainNames.append(name)
        return names.count - 1
    }
}
