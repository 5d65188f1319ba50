/// A configuration file that the program does not start with, and everything that is to be said about it.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Sendable {
        /// The file could not be had: missing, forbidden, not a file, too large.
        case unreadable
        /// It was read and says something that is wrong: refused by validation.
        case refused
    }

    package let cause: Cause
    package let path: String
    /// In the file's order; at least one is an error.
    package let findings: [Finding]

    package init(cause: Cause, path: String, findings: [Finding]) {
        self.cause = cause
        self.path = path
        self.findings = findings
    }

    /// Errors and warnings, one a line.
    package var description: String {
        findings.filter { $0.severity >= .warning }.map { $0.text(inFile: path) }.joined(separator: "\n")
    }
}
