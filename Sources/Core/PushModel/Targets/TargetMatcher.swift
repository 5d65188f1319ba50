/// Determines for one subscription after another whether an expression matches its parameters and the facts
/// that were collected about it.
///
/// - Parameters are texts. A missing parameter matches only `exists: false` and `!=`. `not` inverts the
///   result of the expression that it contains.
/// - `=`, `!=` and `in` compare texts by their bytes and numbers as numbers; true and false are compared as
///   those words. A parameter that is not a number does not equal any number.
/// - `<`, `<=`, `>` and `>=` compare numbers as numbers, and a parameter that is not a number does not match.
///   They compare texts by their bytes, so that ISO 8601 dates are in order.
/// - `contains` and `startsWith` search for the bytes of a text. No character has a special meaning, and
///   upper and lower case differ.
/// - A ``TargetDate`` is compared with the second that the parameter or fact denotes; a parameter that is not
///   a date does not match. ``CollectedFact/Kind/version`` is ordered by ``VersionNumber``.
/// - A name in the set of known facts means the fact, never a parameter. A fact that the device did not
///   report counts as missing.
/// - Parameters that are not a JSON object count as missing, and so does a member whose value is not a text.
package struct TargetMatcher {
    /// The facts that the expression uses. The caller supplies them for each subscription, after its
    /// parameters: ``note(_:text:)``, ``note(_:seconds:)``.
    package let facts: [CollectedFact]
    /// The slot of each of the ``facts``.
    private let factSlots: [Int]
    private let root: Node
    private let slots: [Slot]
    /// Whether the expression uses parameters.
    package let readsParameters: Bool
    /// The values of the current subscription, one after the other.
    private var texts: [UInt8] = []
    /// The range of each slot's value in ``texts``; `nil` if it is missing.
    private var found: [Range<Int>?]
    /// The number in each slot; `nil` if the value is missing, is not a number, or is not compared with a
    /// number.
    private var numbers: [DecimalNumber?]
    /// The time in each slot, in seconds since 1970; `nil` if the value is missing, is not a date, or is not
    /// compared with a date. Empty if the expression uses no dates.
    private var seconds: [Int64?]

    private struct Slot {
        let name: [UInt8]
        let fact: CollectedFact?
        var isNumeric = false
        var isDate = false
    }

    private indirect enum Node {
        case and([Node])
        case or([Node])
        case not(Node)
        case compare(Int, TargetComparison, Wanted)
        case oneOf(Int, [Wanted])
        case exists(Int, Bool)
    }

    private enum Wanted {
        case text([UInt8])
        case number(DecimalNumber)
        /// The seconds that a date covers.
        case date(Range<Int64>)
        case version(VersionNumber)

        init(_ value: TargetValue, from start: WallTime) {
            self =
                switch value {
                case .text(let text): .text(Array(text.utf8))
                case .integer(let integer): .number(DecimalNumber(integer))
                case .real(let real): .number(DecimalNumber(real))
                case .boolean(let boolean): .text(Array((boolean ? "true" : "false").utf8))
                case .date(let date): .date(date.seconds(from: start))
                }
        }
    }

    /// - Parameters:
    ///   - facts: The facts that are known by their names (``CollectedFact/known(besides:)``). All other
    ///     names are those of parameters.
    ///   - start: The start of the delivery, to which relative dates refer.
    package init(
        _ expression: TargetExpression, facts: Set<CollectedFact> = [],
        from start: WallTime = WallTime(secondsSince1970: 0)
    ) {
        var reader = ExpressionReader(facts: facts, start: start)
        root = reader.node(expression)
        slots = reader.slots
        factSlots = slots.indices.filter { reader.slots[$0].fact != nil }
        self.facts = slots.compactMap(\.fact)
        readsParameters = factSlots.count < slots.count
        found = Array(repeating: nil, count: slots.count)
        numbers = Array(repeating: nil, count: slots.count)
        let usesDates = slots.contains { $0.isDate || $0.fact?.kind == .date }
        seconds = Array(repeating: nil, count: usesDates ? slots.count : 0)
    }

    /// Matches an expression that uses no ``facts``.
    /// - Parameter parameters: The parameters as stored; empty if there are none.
    package mutating func matches(_ parameters: Span<UInt8>) -> Bool {
        read(parameters)
        return isMatch
    }

    /// Whether the expression matches the values that were supplied since ``read(_:)``.
    package var isMatch: Bool { holds(root) }

    // MARK: - Preparation

    private struct ExpressionReader {
        let facts: Set<CollectedFact>
        let start: WallTime
        var slots: [Slot] = []

        mutating func node(_ expression: TargetExpression) -> Node {
            switch expression {
            case .and(let parts): return .and(parts.map { node($0) })
            case .or(let parts): return .or(parts.map { node($0) })
            case .not(let part): return .not(node(part))
            case .compare(let name, let comparison, let value):
                let slot = slot(name)
                return .compare(slot, comparison, wanted(value, comparison, slot))
            case .oneOf(let name, let values):
                let slot = slot(name)
                return .oneOf(slot, values.map { wanted($0, .equal, slot) })
            case .exists(let name, let isThere): return .exists(slot(name), isThere)
            }
        }

        private mutating func slot(_ name: String) -> Int {
            let bytes = Array(name.utf8)
            if let known = slots.firstIndex(where: { $0.name == bytes }) { return known }
            // The names of facts are ASCII, so no other text is equal to one of them.
            let fact = CollectedFact(rawValue: name).flatMap { facts.contains($0) ? $0 : nil }
            slots.append(Slot(name: bytes, fact: fact))
            return slots.count - 1
        }

        private mutating func wanted(
            _ value: TargetValue, _ comparison: TargetComparison, _ slot: Int
        ) -> Wanted {
            let wanted = Wanted(value, from: start)
            switch wanted {
            case .number: slots[slot].isNumeric = true
            case .date: slots[slot].isDate = true
            case .text(let text):
                if slots[slot].fact?.kind == .version, comparison.isOfOrder,
                    let version = VersionNumber(text[...])
                {
                    return .version(version)
                }
            case .version: break
            }
            return wanted
        }
    }

    // MARK: - Reading

    /// Begins with the next subscription.
    /// - Parameter parameters: The parameters as stored; empty if there are none.
    package mutating func read(_ parameters: Span<UInt8>) {
        clear()
        guard readsParameters else { return }
        if !readObject(parameters) { clear() }
    }

    /// - Parameters:
    ///   - place: The index of the fact in ``facts``.
    ///   - text: The fact; empty if the device did not report it.
    package mutating func note(_ place: Int, text: Span<UInt8>) {
        guard !text.isEmpty else { return }
        let start = texts.count
        // Unsafe for speed: the span is only read, and only during the call.
        unsafe text.withUnsafeBufferPointer { unsafe texts.append(contentsOf: $0) }
        note(start..<texts.count, in: factSlots[place])
    }

    /// - Parameter place: The index of a fact of the kind ``CollectedFact/Kind/date`` in ``facts``.
    package mutating func note(_ place: Int, seconds time: Int64) {
        found[factSlots[place]] = texts.count..<texts.count
        seconds[factSlots[place]] = time
    }

    /// Supplies all ``facts`` of a subscription.
    package mutating func note(_ known: CollectedFacts) {
        for (place, fact) in facts.enumerated() {
            if let time = known.time(of: fact) {
                note(place, seconds: time.secondsSince1970)
            } else {
                note(place, text: Array(known.text(of: fact).utf8).span)
            }
        }
    }

    private mutating func clear() {
        texts.removeAll(keepingCapacity: true)
        for index in found.indices { (found[index], numbers[index]) = (nil, nil) }
        for index in seconds.indices { seconds[index] = nil }
    }

    /// - Returns: `true` if the text is a JSON object and nothing else.
    private mutating func readObject(_ json: Span<UInt8>) -> Bool {
        var cursor = JSONCursor()
        guard cursor.take(UInt8(ascii: "{"), in: json) else { return false }
        if cursor.take(UInt8(ascii: "}"), in: json) { return cursor.isAtEnd(of: json) }
        repeat {
            guard readMember(json, &cursor) else { return false }
        } while cursor.take(UInt8(ascii: ","), in: json)
        return cursor.take(UInt8(ascii: "}"), in: json) && cursor.isAtEnd(of: json)
    }

    private mutating func readMember(_ json: Span<UInt8>, _ cursor: inout JSONCursor) -> Bool {
        let start = texts.count
        guard cursor.text(in: json, to: &texts) else { return false }
        let name = texts[start...]
        let slot = slots.firstIndex { $0.name.elementsEqual(name) && $0.fact == nil }
        texts.removeSubrange(start...)
        guard cursor.take(UInt8(ascii: ":"), in: json) else { return false }
        guard let slot else { return cursor.skipValue(in: json, &texts) }
        // As in PostgreSQL, the last value counts if an object contains a name twice.
        (found[slot], numbers[slot]) = (nil, nil)
        if slots[slot].isDate { seconds[slot] = nil }
        guard cursor.isAtText(in: json) else { return cursor.skipValue(in: json, &texts) }
        guard cursor.text(in: json, to: &texts) else { return false }
        note(start..<texts.count, in: slot)
        return true
    }

    private mutating func note(_ range: Range<Int>, in slot: Int) {
        found[slot] = range
        if slots[slot].isNumeric { numbers[slot] = DecimalNumber(texts[range]) }
        if slots[slot].isDate {
            seconds[slot] = TargetDate.seconds(ofTime: String(decoding: texts[range], as: UTF8.self))
        }
    }

    // MARK: - Evaluation

    private func holds(_ node: Node) -> Bool {
        switch node {
        case .and(let parts): parts.allSatisfy(holds)
        case .or(let parts): parts.contains(where: holds)
        case .not(let part): !holds(part)
        case .exists(let slot, let isThere): (found[slot] != nil) == isThere
        case .oneOf(let slot, let wanted): wanted.contains { compare(slot, .equal, $0) }
        case .compare(let slot, let comparison, let wanted): compare(slot, comparison, wanted)
        }
    }

    private func compare(_ slot: Int, _ comparison: TargetComparison, _ wanted: Wanted) -> Bool {
        guard let range = found[slot] else { return comparison == .different }
        switch wanted {
        case .text(let text): return Self.compare(texts[range], comparison, text)
        case .number(let number):
            guard let given = numbers[slot] else { return comparison == .different }
            return Self.compare(given, comparison, number)
        case .version(let version):
            return VersionNumber(texts[range]).map { Self.compare($0, comparison, version) } ?? false
        case .date(let date):
            guard let given = seconds[slot] else { return comparison == .different }
            return switch comparison {
            case .equal: date.contains(given)
            case .different: !date.contains(given)
            case .less: given < date.lowerBound
            case .lessOrEqual: given < date.upperBound
            case .greater: given >= date.upperBound
            case .greaterOrEqual: given >= date.lowerBound
            case .contains, .startsWith: false
            }
        }
    }

    private static func compare<Value: Comparable>(
        _ given: Value, _ comparison: TargetComparison, _ wanted: Value
    ) -> Bool {
        switch comparison {
        case .equal: given == wanted
        case .different: given != wanted
        case .less: given < wanted
        case .lessOrEqual: given <= wanted
        case .greater: given > wanted
        case .greaterOrEqual: given >= wanted
        case .contains, .startsWith: false
        }
    }

    private static func compare(
        _ given: ArraySlice<UInt8>, _ comparison: TargetComparison, _ text: [UInt8]
    ) -> Bool {
        switch comparison {
        case .equal: given.elementsEqual(text)
        case .different: !given.elementsEqual(text)
        case .less: given.lexicographicallyPrecedes(text)
        case .lessOrEqual: !text.lexicographicallyPrecedes(given)
        case .greater: text.lexicographicallyPrecedes(given)
        case .greaterOrEqual: !given.lexicographicallyPrecedes(text)
        case .startsWith: given.starts(with: text)
        case .contains: contains(given, text)
        }
    }

    private static func contains(_ given: ArraySlice<UInt8>, _ text: [UInt8]) -> Bool {
        guard let first = text.first else { return true }
        var rest = given
        while rest.count >= text.count, let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: text) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

/// The version of an operating system: the first numbers of a text such as `iOS 16.4`, up to four, separated
/// by dots. Numbers that are missing at the end are zero.
struct VersionNumber: Comparable {
    private let numbers: (Int64, Int64, Int64, Int64)

    /// `nil` if the text has no digit.
    init?(_ text: ArraySlice<UInt8>) {
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        var rest = text.drop { !isDigit($0) }
        guard !rest.isEmpty else { return nil }
        func next() -> Int64 {
            let digits = rest.prefix(while: isDigit)
            rest = rest.dropFirst(digits.count)
            if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst() } else { rest = [] }
            return digits.prefix(15).reduce(0) { $0 * 10 + Int64($1) - 0x30 }
        }
        numbers = (next(), next(), next(), next())
    }

    static func == (left: VersionNumber, right: VersionNumber) -> Bool { left.numbers == right.numbers }
    static func < (left: VersionNumber, right: VersionNumber) -> Bool { left.numbers < right.numbers }
}
