package import PushModel

/// The names of the columns of a subscriber file that contain parameters.
///
/// A column has the name of its parameter. If this name means something else in a file, because it is the
/// name of a fact or of another column, the column has the name `parameters.NAME`. So that every name can be
/// written, this also applies to a parameter whose own name already has this form.
package enum ParameterColumn {
    private static let prefix = "parameters."

    /// - Parameter facts: The facts that the app's files contain by name.
    /// - Returns: The name of the column of a parameter.
    package static func name(of parameter: String, besides facts: Set<CollectedFact>) -> String {
        meansOther(parameter, facts) ? prefix + parameter : parameter
    }

    /// Returns the parameter of the column with this name, which is not the name of a fact or of another
    /// column.
    static func parameter(of column: String, besides facts: Set<CollectedFact>) -> String {
        guard column.hasPrefix(prefix), meansOther(column, facts) else { return column }
        return String(column.dropFirst(prefix.count))
    }

    private static func meansOther(_ name: String, _ facts: Set<CollectedFact>) -> Bool {
        var rest = name[...]
        while rest.hasPrefix(prefix) { rest = rest.dropFirst(prefix.count) }
        return rest == SubscriberColumns.userKeyName || rest == SubscriberColumns.earlierTokenName
            || CollectedFact(rawValue: String(rest)).map(facts.contains) == true
    }
}
