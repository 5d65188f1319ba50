package import PushModel

/// The result of comparing a device's parameters with those that its app declares.
package struct CheckedParameters: Equatable, Sendable {
    /// Parameters that the app accepts, in order of their names.
    package var kept: [RegistrationParameter] = []
    /// Declared names that the device sent without a value. The device does not have these parameters.
    package var emptied: [String] = []
    /// Names that the app does not declare, in the order in which the device sent them.
    package var undeclared: [String] = []
}

extension ParameterDeclaration {
    /// Compares a device's parameters with the declared ones. An app that declares no parameters accepts all.
    ///
    /// A name that differs from a declared one only in the composition of its letters is the same name. The
    /// parameter is kept in the declared spelling, because texts refer to it by the bytes of its name.
    package static func checked(
        _ given: [RegistrationParameter], against declared: [ParameterDeclaration]
    ) throws(RegistrationRefusal) -> CheckedParameters {
        guard !declared.isEmpty else { return CheckedParameters(kept: given) }
        var checked = CheckedParameters()
        for parameter in given {
            guard let declaration = declared.first(where: { $0.name == parameter.name }) else {
                checked.undeclared.append(parameter.name)
                continue
            }
            guard !parameter.value.isEmpty else {
                checked.emptied.append(declaration.name)
                continue
            }
            guard declaration.kind.accepts(parameter.value) else {
                throw .parameter(name: declaration.name.printable(atMost: 64), wanted: declaration.kind.words)
            }
            guard !checked.kept.contains(where: { $0.name == declaration.name }) else { continue }
            checked.kept.append(RegistrationParameter(name: declaration.name, value: parameter.value))
        }
        checked.emptied.removeAll { name in checked.kept.contains { $0.name == name } }
        checked.kept.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return checked
    }
}

extension ParameterDeclaration.Kind {
    package var words: String {
        switch self {
        case .text: "any text"
        case .number: "a number, like -12.5"
        case .date: "a date, such as 2026-01-31 or 2026-01-31T08:30:00Z"
        case .boolean: "true or false"
        }
    }

    /// Reports whether a value is of this kind, whether an SDK wrote it for one of its types or an app wrote
    /// it as text.
    package func accepts(_ value: String) -> Bool {
        switch self {
        case .text: true
        case .number: value.utf8.count <= Self.maxNumberBytes && WrittenNumber(value) != nil
        case .date: TargetDate.seconds(ofTime: value) != nil
        case .boolean: value == "true" || value == "false"
        }
    }

    private static let maxNumberBytes = 64
}
