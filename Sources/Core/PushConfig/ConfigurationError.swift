/// A configuration file that prevents the program from starting, and all findings about the file.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Sendable {
        /// The file could not be read: it is missing, forbidden, not a file, or too large.
        case unreadable
        /// The file was read, but validation refused its contents.
        case refused
    }

    package let cause: Cause
    package let path: String
    /// The findings in file order. At least one is an error.
    package let findings: [Finding]

    package init(cause: Cause, path: String, findings: [Finding]) {
        self.cause = cause
        self.path = path
        self.findings = findings
    }

    /// Errors and warnings, one per line.
    package var description: String {
        findings.filter { $0.severity >= .warning }.map { $0.text(inFile: path) }.joined(separator: "\n")
    }
}
