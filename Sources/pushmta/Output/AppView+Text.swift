internal import PushModel
internal import PushOperations
internal import PushStore

extension AppView {
    var fields: [(name: String, value: String)] {
        [
            ("name", name),
            ("label", label),
            ("service", service),
            ("platform", platform.rawValue),
            ("integration key", integrationKey),
            ("connector", connector.rawValue),
            ("environment", environment.rawValue),
            ("bundle id", bundleId),
            ("credential", credential),
            ("message ids", messageIdFormat.rawValue),
            (
                "variables",
                variables.map { [$0.name, $0.defaultValue].compactMap { $0 }.joined(separator: "=") }
                    .joined(separator: ", ")
            ),
            ("parameters", parameters.map { "\($0.name):\($0.kind.rawValue)" }.joined(separator: ", ")),
            (
                "icon",
                icon.map { "\($0.width) by \($0.height) pixels, \(Numerals.grouped($0.bytes)) bytes" } ?? ""
            ),
            ("sounds", sounds.map { "\($0.internalName)=\($0.label)" }.joined(separator: ", ")),
        ]
    }
}

extension AppDetails {
    /// `fristName (1 204 registrations), further names (12)`
    var undeclaredText: String {
        undeclaredParameters.map { parameter in
            guard let name = parameter.name else {
                return "further names (\(Numerals.grouped(parameter.registrations)))"
            }
            return "\(name) (\(Numerals.count(parameter.registrations, "registration")))"
        }.joined(separator: ", ")
    }
}

extension AppChange {
    /// What is to be said beside the result: what is probably not meant, and how long the credential will
    /// work.
    func announce() {
        for warning in warnings {
            StandardError.line("warning: \(warning.printable(atMost: CommandFailure.longestLine))")
        }
        if let end = credentialEnds { StandardError.line("the certificate is valid until \(end.utcText)") }
    }
}
