package import PushModel

/// The variables that an app's devices receive: the app's defaults, overridden by the delivery's values. Also
/// the members of `content.custom` that may accompany them.
package enum PayloadVariables {
    /// Returns the variables in ascending order of their names.
    ///
    /// An app that declares variables receives exactly those; variables that only other apps of the delivery
    /// declare are not sent to it. An app that declares none receives all variables of the delivery.
    package static func resolve(
        declared: [AppVariable], given: [ContentVariable], platform: Platform
    ) throws(PayloadError) -> [ContentVariable] {
        let known = Set(declared.map(\.name))
        let given = known.isEmpty ? given : given.filter { known.contains($0.name) }
        let reserved = (given.map(\.name) + declared.map(\.name)).filter {
            ReservedVariables.contains($0, on: platform)
        }
        if !reserved.isEmpty { throw .variablesReserved(Array(Set(reserved)).sorted(), platform) }
        guard !declared.isEmpty else { return given }

        var values: [String: String] = [:]
        for variable in declared { values[variable.name] = variable.defaultValue }
        for variable in given { values[variable.name] = variable.value }
        let missing = declared.filter { values[$0.name] == nil && !$0.isOptional }.map(\.name).sorted()
        if !missing.isEmpty { throw .variablesMissing(missing) }
        return values.map { ContentVariable(name: $0.key, value: $0.value) }.sorted()
    }

    /// Returns the custom members. All of them go to every app, because apps declare only variables.
    ///
    /// - Parameter variables: The variables that the app receives.
    package static func custom(
        of content: Content, alongside variables: [ContentVariable], platform: Platform
    ) throws(PayloadError) -> [CustomMember] {
        guard !content.custom.isEmpty else { return [] }
        let names = content.custom.map(\.name)
        let reserved = names.filter { ReservedVariables.contains($0, on: platform) }
        if !reserved.isEmpty { throw .variablesReserved(reserved, platform) }
        let known = Set(variables.map(\.name))
        let clashing = names.filter(known.contains)
        if !clashing.isEmpty { throw .customClashing(clashing) }
        let nulls = content.custom.filter(\.isNull).map(\.name)
        if !platform.rules.hasNull, !nulls.isEmpty { throw .customNull(nulls) }
        return content.custom
    }
}
