internal import PushModel

/// Why a command did not do what it was asked, where no target has an error for it. One line: what, where,
/// what to do.
struct CommandFailure: Error, CustomStringConvertible {
    let ending: Ending
    let description: String

    /// File names and contents may stand in it: what they hold stays on its line.
    private init(_ ending: Ending, _ lines: [String]) {
        self.ending = ending
        description = lines.map { $0.printable(atMost: Self.longestLine) }.joined(separator: "\npushmta: ")
    }

    static let longestLine = 1_000

    static func failed(_ description: String) -> CommandFailure { CommandFailure(.failed, [description]) }

    static func refused(_ description: String) -> CommandFailure { CommandFailure(.refused, [description]) }

    /// Several things at once, a line each.
    static func refused(lines: [String]) -> CommandFailure { CommandFailure(.refused, lines) }
}
