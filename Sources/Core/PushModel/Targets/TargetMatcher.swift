/// Determines for one subscription after another whether an expression matches its parameters.
///
/// - Parameters are texts. A missing parameter matches only `exists: false` and `!=`. `not` inverts the
///   result of the expression that it contains.
/// - `=`, `!=` and `in` compare texts by their bytes and numbers as numbers; true and false are compared as
///   those words. A parameter that is not a number does not equal any number.
/// - `<`, `<=`, `>` and `>=` compare numbers as numbers, and a parameter that is not a number does not match.
///   They compare texts by their bytes, so that ISO 8601 dates are in order.
/// - Parameters that are not a JSON object count as missing, and so does a member whose value is not a text.
package struct TargetMatcher {
    private let root: Node
    private let slots: [Slot]
    /// The parameter values of the current subscription, one after the other.
    private var texts: [UInt8] = []
    /// The range of each slot's value in ``texts``; `nil` if it is missing.
    private var found: [Range<Int>?]
    /// The number in each slot; `nil` if the parameter is missing, is not a number, or is not compared with a
    /// number.
    private var numbers: [DecimalNumber?]

    private struct Slot {
        let name: [UInt8]
        var isNumeric = false
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

        init(_ value: TargetValue) {
            self =
                switch value {
                case .text(let text): .text(Array(text.utf8))
                case .integer(let integer): .number(DecimalNumber(integer))
                case .real(let real): .number(DecimalNumber(real))
                case .boolean(let boolean): .text(Array((boolean ? "true" : "false").utf8))
                }
        }

        var isNumber: Bool { if case .number = self { true } else { false } }
    }

    package init(_ expression: TargetExpression) {
        var slots: [Slot] = []
        root = Self.node(expression, &slots)
        self.slots = slots
        found = Array(repeating: nil, count: slots.count)
        numbers = Array(repeating: nil, count: slots.count)
    }

    /// - Parameter parameters: The parameters as stored; empty if there are none.
    package mutating func matches(_ parameters: Span<UInt8>) -> Bool {
        read(parameters)
        return holds(root)
    }

    // MARK: - Preparation

    private static func node(_ expression: TargetExpression, _ slots: inout [Slot]) -> Node {
        switch expression {
        case .and(let parts): .and(parts.map { node($0, &slots) })
        case .or(let parts): .or(parts.map { node($0, &slots) })
        case .not(let part): .not(node(part, &slots))
        case .compare(let name, let comparison, let value):
            .compare(slot(name, isNumeric: Wanted(value).isNumber, &slots), comparison, Wanted(value))
        case .oneOf(let name, let values):
            .oneOf(
                slot(name, isNumeric: values.contains { Wanted($0).isNumber }, &slots),
                values.map(Wanted.init))
        case .exists(let name, let isThere): .exists(slot(name, isNumeric: false, &slots), isThere)
        }
    }

    private static func slot(_ name: String, isNumeric: Bool, _ slots: inout [Slot]) -> Int {
        let bytes = Array(name.utf8)
        let index = slots.firstIndex { $0.name == bytes } ?? slots.count
        if index == slots.count { slots.append(Slot(name: bytes)) }
        if isNumeric { slots[index].isNumeric = true }
        return index
    }

    // MARK: - Reading

    private mutating func read(_ json: Span<UInt8>) {
        clear()
        if !readObject(json) { clear() }
    }

    private mutating func clear() {
        texts.removeAll(keepingCapacity: true)
        for index in found.indices { (found[index], numbers[index]) = (nil, nil) }
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
        let slot = slots.firstIndex { $0.name.elementsEqual(name) }
        texts.removeSubrange(start...)
        guard cursor.take(UInt8(ascii: ":"), in: json) else { return false }
        guard let slot else { return cursor.skipValue(in: json, &texts) }
        // As in PostgreSQL, the last value counts if an object contains a name twice.
        (found[slot], numbers[slot]) = (nil, nil)
        guard cursor.isAtText(in: json) else { return cursor.skipValue(in: json, &texts) }
        guard cursor.text(in: json, to: &texts) else { return false }
        found[slot] = start..<texts.count
        if slots[slot].isNumeric { numbers[slot] = DecimalNumber(texts[start...]) }
        return true
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
        case .text(let text):
            let given = texts[range]
            return switch comparison {
            case .equal: given.elementsEqual(text)
            case .different: !given.elementsEqual(text)
            case .less: given.lexicographicallyPrecedes(text)
            case .lessOrEqual: !text.lexicographicallyPrecedes(given)
            case .greater: text.lexicographicallyPrecedes(given)
            case .greaterOrEqual: !given.lexicographicallyPrecedes(text)
            }
        case .number(let number):
            guard let given = numbers[slot] else { return comparison == .different }
            return switch comparison {
            case .equal: given == number
            case .different: given != number
            case .less: given < number
            case .lessOrEqual: given <= number
            case .greater: given > number
            case .greaterOrEqual: given >= number
            }
        }
    }
}
