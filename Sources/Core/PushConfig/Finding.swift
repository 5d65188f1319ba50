package import PushModel
internal import PushXML

/// A finding about a configuration file.
package struct Finding: Codable, Equatable, Sendable {
    package enum Severity: String, Codable, Sendable, Comparable, CaseIterable {
        /// Campaign settings that this program does not use. No action is needed.
        case ignored
        /// A possibly surprising effect of settings that are valid.
        case note
        /// Probably not intended. The program starts.
        case warning
        /// The program does not start.
        case error
        package static func < (left: Self, right: Self) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    package var severity: Severity
    /// The line, from 1; 0 if the finding is about the file as a whole.
    package var line: Int
    /// The column in characters, from 1; 0 if the finding is about the file as a whole.
    package var column: Int
    /// One line: what was found, the name of the setting or element, and what to write instead. The line
    /// never contains a secret.
    package var message: String
    /// The connectors whose apps the finding concerns; empty if it concerns all apps.
    package var connectors: [ConnectorName] = []

    /// The members that are encoded. The others are internal.
    private enum CodingKeys: CodingKey { case severity, line, column, message }

    package init(_ severity: Severity, line: Int, column: Int, message: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
    }

    init(_ severity: Severity, at position: SourcePosition?, _ message: String) {
        self.init(severity, line: position?.line ?? 0, column: position?.column ?? 0, message: message)
    }

    /// Returns `file:line:column: severity: message`, the format that compilers write and editors read.
    package func text(inFile path: String) -> String {
        let path = path.printable(atMost: 1_000)
        let place = line > 0 ? "\(path):\(line):\(column)" : path
        return "\(place): \(severity.rawValue): \(message)"
    }
}
