internal import PushConfig
internal import PushOperations

extension ConfigurationReport {
    var lines: [String] {
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count { $0.severity == .warning }
        let sum = valid ? "good" : Numerals.count(errors, "error")
        return findings.map { $0.text(inFile: path) } + [
            "\(path): \(sum), \(Numerals.count(warnings, "warning"))"
        ]
    }
}
