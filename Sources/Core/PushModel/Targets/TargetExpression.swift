/// A condition on the parameters of a subscription, and on the facts that were collected about it. See
/// ``TargetMatcher`` for the meaning of each case.
package indirect enum TargetExpression: Equatable, Sendable {
    /// All of the conditions are true.
    case and([TargetExpression])
    /// At least one of the conditions is true.
    case or([TargetExpression])
    case not(TargetExpression)
    /// A comparison with a parameter, or with the ``CollectedFact`` of this name.
    case compare(String, TargetComparison, TargetValue)
    /// The parameter equals one of these values.
    case oneOf(String, [TargetValue])
    /// The subscription has the parameter (`true`) or lacks it (`false`).
    case exists(String, Bool)

    /// Maximum nesting depth of `and`, `or` and `not`, as counted in a document.
    package static let maximumDepth = 16
    /// Maximum number of comparisons, combinations, and values of ``oneOf(_:_:)``, all together.
    package static let maximumNodes = 256

    /// The parameters and facts in the expression, each once, in order of their names.
    package var parameterNames: [String] {
        var names: Set<String> = []
        collect(&names)
        return names.sorted()
    }

    private func collect(_ names: inout Set<String>) {
        switch self {
        case .and(let parts), .or(let parts): for part in parts { part.collect(&names) }
        case .not(let part): part.collect(&names)
        case .compare(let name, _, _), .oneOf(let name, _), .exists(let name, _): names.insert(name)
        }
    }
}

/// A comparison with a parameter. Raw values are those of documents.
package enum TargetComparison: String, Sendable, CaseIterable {
    case equal = "="
    case different = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains
    case startsWith

    /// Whether the comparison depends on the order of the two values.
    package var isOfOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        case .equal, .different, .contains, .startsWith: false
        }
    }

    /// Whether the comparison searches for one text in another.
    package var isOfTexts: Bool { self == .contains || self == .startsWith }
}

/// The value with which a parameter is compared. A number that is a 64-bit integer is always ``integer(_:)``,
/// however it was written.
package enum TargetValue: Equatable, Sendable {
    case text(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    /// A date. Documents contain dates as texts; a text becomes a date if the compared value is a date.
    case date(TargetDate)

    /// Returns `nil` if the number cannot be compared.
    package static func number(_ number: Double) -> TargetValue? {
        guard number.isFinite else { return nil }
        return Int64(exactly: number).map(TargetValue.integer) ?? .real(number)
    }
}

// MARK: - In words

extension TargetExpression: CustomStringConvertible {
    /// A text such as `city = Paris and (age >= 18 or vip exists)`.
    package var description: String { words(within: nil) }

    private func words(within outer: String?) -> String {
        switch self {
        case .and(let parts): Self.join(parts, "and", within: outer)
        case .or(let parts): Self.join(parts, "or", within: outer)
        case .not(let part): "not (\(part.words(within: nil)))"
        case .compare(let name, let comparison, let value): "\(name) \(comparison.rawValue) \(value)"
        case .oneOf(let name, let values):
            "\(name) in (\(values.map(\.description).joined(separator: ", ")))"
        case .exists(let name, let isThere): "\(name) \(isThere ? "exists" : "does not exist")"
        }
    }

    private static func join(_ parts: [TargetExpression], _ word: String, within outer: String?) -> String {
        let isOne = parts.count == 1
        let text = parts.map { $0.words(within: isOne ? outer : word) }.joined(separator: " \(word) ")
        return outer == nil || outer == word || isOne ? text : "(\(text))"
    }
}

extension TargetValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .text(let text): text
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .boolean(let boolean): "\(boolean)"
        case .date(let date): date.text
        }
    }
}
