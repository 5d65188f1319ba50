package import PushModel

extension PayloadTemplate {
    /// Checks that all placeholders for parameters can be read.
    package static func checkPlaces(of content: Content, variables: [ContentVariable]) throws(PayloadError) {
        var content = content
        // Defaults come from the app and appear in no document.
        content.variables = variables
        let problems = content.placeProblems
        let names = content.personalTexts.reduce(into: Set<String>()) { $0.formUnion($1.text.names) }
        if names.count > PersonalPlan.maximumNames { throw PersonalPlan.tooManyNames(names.count) }
        if !problems.isEmpty { throw .places(problems.map { "\($0.path): \($0.problem)" }) }
    }
}
