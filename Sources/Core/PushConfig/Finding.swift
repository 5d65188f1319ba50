package import PushModel
internal import PushXML

/// One thing to say about a configuration file.
package struct Finding: Codable, Equatable, Sendable {
    package enum Severity: String, Codable, Sendable, Comparable, CaseIterable {
        /// Campaign's settings that this program has no use for: nothing to do.
        case ignored
        /// What settings amount to, which may surprise; nothing is wrong with them.
        case note
        /// Probably not what was meant; the program starts.
        case warning
        /// The program does not start.
        case error
        package static func < (left: Self, right: Self) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    package var severity: Severity
    /// From 1; 0 where the finding is about the file as a whole.
    package var line: Int
    /// From 1, in characters; 0 where the finding is about the file as a whole.
    package var column: Int
    /// One line: what was found, where by name, what to write instead. Never a secret.
    package var message: String
    /// What it is of interest to: apps of these connectors; empty: everybody.
    package var connectors: [ConnectorName] = []

    /// What others see.
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

    /// `file:line:column: severity: message`, as compilers write and editors read.
    package func text(inFile path: String) -> String {
        let path = path.printable(atMost: 1_000)
        let place = line > 0 ? "\(path):\(line):\(column)" : path
        return "\(place): \(severity.rawValue): \(message)"
    }
}
