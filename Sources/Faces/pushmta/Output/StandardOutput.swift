internal import Glibc
internal import PushAPI
internal import PushMaster
internal import PushModel
internal import PushSystem
internal import PushWire

/// The destination of results. Unlike `print`, it treats a line that could not be written as an error: a
/// command with incomplete results must not end with status 0.
enum StandardOutput {
    static func line(_ text: String) throws(CommandFailure) {
        try FileWriter.writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO, name: name)
    }

    /// Writes the bytes unchanged.
    static func bytes(_ bytes: [UInt8]) throws(CommandFailure) {
        try FileWriter.writeAll(bytes, to: STDOUT_FILENO, name: name)
    }

    static func lines(_ lines: [String]) throws(CommandFailure) {
        guard !lines.isEmpty else { return }
        try line(lines.joined(separator: "\n"))
    }

    /// Writes a view in its JSON form.
    static func json(_ view: some Encodable) throws { try line(JSONValue(encoding: view).text) }

    /// Writes the result, as a sentence or in its JSON form.
    static func answer(_ view: some Encodable, _ json: JSONOption, _ text: String) throws {
        if json.isWanted { try self.json(view) } else { try line(text) }
    }

    static let name = "standard output"

    /// The size of the terminal; `nil` if standard output is not a terminal. If the size is unknown, the
    /// traditional default size of terminals is returned.
    static var terminalSize: TopSize? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        guard isKnown, size.ws_col > 0, size.ws_row > 0 else { return .usual }
        return TopSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

/// The destination of errors, warnings and progress. Output that cannot be written here is lost, because
/// there is nowhere left to report it.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func complain(_ text: String) { line("pushmta: \(text)") }

    /// Prints probable mistakes, one per line.
    static func warn(of warnings: [String]) {
        for warning in warnings {
            line("warning: \(warning.printable(atMost: CommandFailure.maxLineLength))")
        }
    }

    static func line(_ text: String) { write(text + "\n") }

    static func write(_ text: String) {
        try? FileWriter.writeAll(Array(text.utf8), to: STDERR_FILENO, name: "standard error")
    }
}

/// A line at the bottom of a terminal that shows the progress of long work as a bar with the remaining time.
/// Nothing is shown if standard error is not a terminal.
struct ProgressBar {
    private static let width = 30
    private let start = Clocks.monotonic()
    private var line = ProgressLine()

    /// - Parameter total: The total amount of work; `nil` if it is not known.
    mutating func show(done: Int, of total: Int?, _ text: () -> String = { "" }) {
        line.show { [start] in
            let elapsed = Clocks.monotonic().milliseconds(since: start)
            guard let total, total > 0 else { return "\(Numerals.grouped(done)) done \(text())" }
            let share = min(1, Double(done) / Double(total))
            let filled = Int(share * Double(Self.width))
            let bar =
                String(repeating: "#", count: filled) + String(repeating: "-", count: Self.width - filled)
            let left = RemainingTime.seconds(done: done, total: total, elapsedMilliseconds: elapsed)
            return "[\(bar)] \(Int(share * 100)) % \(left.map { "\($0) s left " } ?? "")\(text())"
        }
    }

    mutating func clear() { line.clear() }
}

/// A line on a terminal that is overwritten each time it is shown again.
struct ProgressLine {
    private var lastShown: MonotonicTime?
    private var isShowing = false

    /// - Parameter text: Called only when the line is shown, which is a few times a second.
    mutating func show(_ text: () -> String) {
        guard StandardError.isTerminal else { return }
        let now = Clocks.monotonic()
        if let lastShown, now.milliseconds(since: lastShown) < 200 { return }
        lastShown = now
        isShowing = true
        StandardError.write("\r\u{1B}[K" + text())
    }

    /// Removes the line to make room for other output.
    mutating func clear() {
        guard isShowing else { return }
        StandardError.write("\r\u{1B}[K")
        isShowing = false
    }
}
