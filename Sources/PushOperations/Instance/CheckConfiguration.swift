internal import PushConfig

/// Everything that is to be said about a configuration file, good or bad.
package struct CheckConfiguration: Sendable {
    package var path: String

    package init(path: String) { self.path = path }

    /// - Throws: where the file cannot be read; what is wrong with it is in the answer.
    package func perform(productVersion: String) throws(OperationError) -> ConfigurationReport {
        do throws(ConfigurationError) {
            let loaded = try ConfigurationFile.load(path: path, productVersion: productVersion)
            return ConfigurationReport(path: loaded.path, valid: true, findings: loaded.findings + loaded.notes)
        } catch {
            guard error.cause == .refused else { throw OperationError(error) }
            return ConfigurationReport(path: error.path, valid: false, findings: error.findings)
        }
    }
}

package struct ConfigurationReport: Codable, Equatable, Sendable {
    package struct Finding: Codable, Equatable, Sendable {
        /// `error`, `warning`, `note` or `ignored`.
        package var severity: String
        /// From 1; 0 where the finding is about the file as a whole.
        package var line: Int
        package var column: Int
        package var message: String

        /// `file:line:column: severity: message`, as compilers write and editors read.
        package func text(inFile path: String) -> String {
            let severity = PushConfig.Finding.Severity(rawValue: severity) ?? .error
            return PushConfig.Finding(severity, line: line, column: column, message: message).text(inFile: path)
        }
    }

    package var path: String
    /// Whether the program starts with it.
    package var valid: Bool
    /// In the file's order.
    package var findings: [Finding]

    init(path: String, valid: Bool, findings: [PushConfig.Finding]) {
        self.path = path
        self.valid = valid
        self.findings = findings.map {
            Finding(severity: $0.severity.rawValue, line: $0.line, column: $0.column, message: $0.message)
        }
    }
}
