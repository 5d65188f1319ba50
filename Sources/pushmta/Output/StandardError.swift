internal import Glibc

/// Where errors, warnings and progress go. What cannot be written here is lost: there is nobody left to tell.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func complain(_ text: String) { line("pushmta: \(text)") }

    static func line(_ text: String) { write(text + "\n") }

    static func write(_ text: String) {
        try? FileWriter.writeAll(Array(text.utf8), to: STDERR_FILENO, name: "standard error")
    }
}
