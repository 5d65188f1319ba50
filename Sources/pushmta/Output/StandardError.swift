internal import Glibc
internal import PushModel

/// Where errors, warnings and progress go. What cannot be written here is lost: there is nobody left to tell.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func complain(_ text: String) { line("pushmta: \(text)") }

    /// What is probably not meant, a line each.
    static func warn(of warnings: [String]) {
        for warning in warnings {
            line("warning: \(warning.printable(atMost: CommandFailure.longestLine))")
        }
    }

    static func line(_ text: String) { write(text + "\n") }

    static func write(_ text: String) {
        try? FileWriter.writeAll(Array(text.utf8), to: STDERR_FILENO, name: "standard error")
    }
}
