import PushModel

/// The contents of `where`: an object of parameters and texts, or an expression. The name of a
/// ``PushModel/CollectedFact`` can be used like that of a parameter.
///
/// An object is true if all of its members are true. A member is `and` or `or` with an array of objects,
/// `not` with an object, or a parameter with the value that it must equal or with an object of operators and
/// values. If `and`, `or` or `not` has a value of another kind, it is the name of a parameter:
/// `{"not": "x"}`.
extension Target {
    static let condition = Form<Base>(expression) { $0.condition($1, at: $2) }

    /// `and` and `or` contain lists of expressions; `not` contains one expression. Any other name is the name
    /// of a parameter.
    private static let expression: Schema = .component("TargetExpression") {
        .map(.anyOf([.string, .number, .boolean, comparison, expression, .list(expression)]))
    }

    private static let comparison: Schema = .component("TargetComparison") {
        // This is a map instead of an object with declared members, because client generators cannot create
        // names from signs such as `<=`.
        .map(
            .oneOf([.string, .number, .boolean, .list(value)]), count: 1...operators.count, names: operators)
    }

    fileprivate static let operators =
        TargetComparison.allCases.map(\.rawValue) + ["between", "in", "exists"]

    private static let value: Schema = .oneOf([.string, .number, .boolean])
}

extension DocumentReader {
    private static let operators = Target.operators
    private static var everybody: String {
        "does not name a parameter; to select all subscribers, use {\"all\": true}"
    }

    fileprivate mutating func condition(_ value: JSONValue, at path: String) -> Target.Base? {
        guard let object = anyObject(value, at: path) else { return nil }
        guard !object.keys.isEmpty else {
            note(object.path, Self.everybody)
            return nil
        }
        var nodes = 0
        let areTexts = object.values.allSatisfy { if case .string = $0 { true } else { false } }
        if areTexts, !object.keys.contains(where: { CollectedFact(rawValue: $0) != nil }) {
            return parameters(of: object, &nodes).map(Target.Base.parameters)
        }
        return expression(value, at: object.path, depth: 1, &nodes).map(Target.Base.matching)
    }

    /// Reads an object in which each parameter must equal a text. The store looks up this form of target
    /// fastest.
    private mutating func parameters(of object: Object, _ nodes: inout Int) -> [String: String]? {
        var parameters: [String: String] = [:]
        for (name, value) in zip(object.keys, object.values) {
            guard count(object.path(of: name), &nodes) else { return nil }
            parameters[name] = string(value, at: object.path(of: name), Self.text)
        }
        return parameters
    }

    private static let oneValue = "a string, a number or a boolean"
    private static let lacksParameter =
        "an operator without a parameter; write it in an object that is the parameter's value"
    private static var text: TextLimits { .bytes(SubscriberLimits.parametersBytes) }

    // MARK: - Expressions; nil after a fault, which was noted

    /// Counts one more node.
    /// - Returns: Whether the node is allowed. The first node that is not allowed is noted as a fault.
    private mutating func count(_ path: String, _ nodes: inout Int) -> Bool {
        nodes += 1
        if nodes == TargetExpression.maximumNodes + 1 {
            note(
                path,
                "the expression has more than \(TargetExpression.maximumNodes) parts "
                    + "(comparisons, combinations, and values of in); to send to listed recipients, use "
                    + "userKeys or tokens")
        }
        return nodes <= TargetExpression.maximumNodes
    }

    private mutating func expression(
        _ value: JSONValue, at path: String, depth: Int, _ nodes: inout Int
    ) -> TargetExpression? {
        guard depth <= TargetExpression.maximumDepth else {
            note(path, "nested deeper than \(TargetExpression.maximumDepth) levels")
            return nil
        }
        guard let object = anyObject(value, at: path) else { return nil }
        guard !object.keys.isEmpty else {
            note(path, Self.everybody)
            return nil
        }
        var parts: [TargetExpression] = []
        for (name, value) in zip(object.keys, object.values) {
            guard let part = member(name, value, at: object.path(of: name), depth: depth, &nodes) else {
                continue
            }
            if case .and(let inner) = part, name != "and" { parts += inner } else { parts.append(part) }
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// Notes a fault in an expression.
    /// - Returns: `nil`, so that a function that reads an expression can fail with `return fault(…)`.
    private mutating func fault(_ path: String, _ problem: String) -> TargetExpression? {
        note(path, problem)
        return nil
    }

    private mutating func member(
        _ name: String, _ value: JSONValue, at path: String, depth: Int, _ nodes: inout Int
    ) -> TargetExpression? {
        switch (name, value) {
        case ("and", .array(let elements)):
            return combination(elements, at: path, depth: depth, &nodes).map(TargetExpression.and)
        case ("or", .array(let elements)):
            return combination(elements, at: path, depth: depth, &nodes).map(TargetExpression.or)
        case ("not", .object):
            guard count(path, &nodes) else { return nil }
            return expression(value, at: path, depth: depth + 1, &nodes).map(TargetExpression.not)
        case ("not", .array):
            return fault(path, "must be an object, not an array; for several conditions, use {\"or\": […]}")
        case (_, .array):
            return fault(
                path,
                Self.operators.contains(name)
                    ? Self.lacksParameter
                    : "must be \(Self.oneValue), not an array; for any of several values, use {\"in\": […]}")
        case (_, .object(let members)):
            if ["and", "or"].contains(name), !members.allSatisfy({ Self.operators.contains($0.key) }) {
                return fault(path, "must be an array of objects, such as [{…}, {…}], not an object")
            }
            return comparisons(of: name, value, at: path, &nodes)
        default:
            if Self.operators.contains(name) { return fault(path, Self.lacksParameter) }
            guard count(path, &nodes), let wanted = self.value(value, at: path, Self.text) else {
                return nil
            }
            return .compare(name, .equal, wanted)
        }
    }

    private mutating func combination(
        _ elements: [JSONValue], at path: String, depth: Int, _ nodes: inout Int
    ) -> [TargetExpression]? {
        guard count(path, &nodes) else { return nil }
        if elements.isEmpty { note(path, "must have at least 1 entry, not 0") }
        var parts: [TargetExpression] = []
        for (index, element) in elements.enumerated() {
            // The fault has already been noted.
            guard nodes <= TargetExpression.maximumNodes else { return nil }
            let part = expression(element, at: "\(path)[\(index)]", depth: depth + 1, &nodes)
            if let part { parts.append(part) }
        }
        return parts
    }

    /// Reads an object of operators and values. All of these comparisons must be true.
    private mutating func comparisons(
        of name: String, _ value: JSONValue, at path: String, _ nodes: inout Int
    ) -> TargetExpression? {
        guard let object = object(value, at: path, keys: Self.operators) else { return nil }
        if object.keys.isEmpty {
            note(path, "has no operator; allowed: \(Self.operators.joined(separator: ", "))")
        }
        var parts: [TargetExpression] = []
        for (key, wanted) in zip(object.keys, object.values) where Self.operators.contains(key) {
            let path = object.path(of: key)
            guard count(path, &nodes) else { return nil }
            let part: TargetExpression? =
                switch key {
                case "in": oneOf(name, wanted, at: path, &nodes)
                case "between": between(name, wanted, at: path, &nodes)
                case "exists": boolean(wanted, at: path).map { .exists(name, $0) }
                default: comparison(name, key, wanted, at: path)
                }
            if case .and(let both)? = part { parts += both } else if let part { parts.append(part) }
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func comparison(
        _ name: String, _ key: String, _ wanted: JSONValue, at path: String
    ) -> TargetExpression? {
        guard let comparison = TargetComparison(rawValue: key) else { return nil }
        if case .boolean = wanted, comparison.isOfOrder {
            return refuse(wanted, at: path, allowed: "a string or a number")
        }
        if comparison.isOfTexts {
            return string(wanted, at: path, Self.text).map { .compare(name, comparison, .text($0)) }
        }
        return value(wanted, at: path, .text).map { .compare(name, comparison, $0) }
    }

    /// Reads the first and the last value of a range. The result is two comparisons.
    private mutating func between(
        _ name: String, _ wanted: JSONValue, at path: String, _ nodes: inout Int
    ) -> TargetExpression? {
        guard case .array(let ends) = wanted, ends.count == 2 else {
            return refuse(wanted, at: path, allowed: Self.twoEnds, isOtherKind: false)
        }
        guard count(path, &nodes) else { return nil }
        var parts: [TargetExpression] = []
        var values: [TargetValue] = []
        for (index, (key, end)) in zip([">=", "<="], ends).enumerated() {
            let part = comparison(name, key, end, at: "\(path)[\(index)]")
            guard case .compare(_, _, let value)? = part, let part else { return nil }
            parts.append(part)
            values.append(value)
        }
        guard let isOrdered = values[0].isOrdered(before: values[1]) else {
            return refuse(wanted, at: path, allowed: Self.twoEnds, isOtherKind: false)
        }
        guard isOrdered else { return fault(path, "the first value is greater than the second") }
        return .and(parts)
    }

    private static let twoEnds = "an array of two numbers or of two strings: the first and the last value"

    private mutating func oneOf(
        _ name: String, _ wanted: JSONValue, at path: String, _ nodes: inout Int
    ) -> TargetExpression? {
        guard case .array(let elements) = wanted else {
            return refuse(wanted, at: path, allowed: "an array of strings, numbers or booleans")
        }
        if elements.isEmpty { note(path, "must have at least 1 entry, not 0") }
        var values: [TargetValue] = []
        for (index, element) in elements.enumerated() {
            let path = "\(path)[\(index)]"
            guard count(path, &nodes) else { return nil }
            if let value = self.value(element, at: path, .text) { values.append(value) }
        }
        return .oneOf(name, values)
    }

    private mutating func value(
        _ value: JSONValue, at path: String, _ allowed: TextLimits
    ) -> TargetValue? {
        switch value {
        case .string: return string(value, at: path, allowed).map(TargetValue.text)
        case .integer(let integer): return .integer(integer)
        case .real(let real):
            if let number = TargetValue.number(real) { return number }
            note(path, "the number is too large")
            return nil
        case .boolean(let boolean): return .boolean(boolean)
        case .null, .array, .object:
            return refuse(value, at: path, allowed: Self.oneValue)
        }
    }
}

extension TargetValue {
    /// Reports whether this value is not greater than another one, as far as this is known before the kind of
    /// the compared values is known. Returns `nil` if the two values are not of the same kind.
    fileprivate func isOrdered(before last: TargetValue) -> Bool? {
        switch (self, last) {
        case (.integer(let one), .integer(let other)): return one <= other
        case (.integer(let one), .real(let other)): return Double(one) <= other
        case (.real(let one), .integer(let other)): return one <= Double(other)
        case (.real(let one), .real(let other)): return one <= other
        case (.text(let one), .text(let other)):
            guard let one = TargetDate(one), let other = TargetDate(other), one.isRelative == other.isRelative
            else { return true }
            let start = WallTime(secondsSince1970: 0)
            return one.seconds(from: start).lowerBound < other.seconds(from: start).upperBound
        default: return nil
        }
    }
}
