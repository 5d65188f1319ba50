import Foundation
import TestSupport
import Testing
import pushload

/// A real terminal of a given size with a shell in it, provided by tmux with its own server.
final class TmuxTerminal {
    private static let program = "/usr/bin/tmux"
    private let socket: String
    private let folder: Folder
    private var calls = 0

    static var isThere: Bool { InstalledProgram.isThere(program, debianPackage: "tmux") }

    /// - Parameter folder: The folder for its socket and for the output of its commands.
    init(in folder: Folder, columns: Int, rows: Int) async throws {
        self.folder = folder
        socket = folder.file("tmux")
        try await tmux([
            "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "/bin/sh",
        ])
    }

    /// Ends the server and all programs that are running in it.
    func close() async { _ = try? await tmux(["kill-server"]) }

    /// Types a line into the shell.
    func type(line: String) async throws {
        try await tmux(["send-keys", "-l", line])
        try await press("Enter")
    }

    /// - Parameter key: The key's name in tmux: `p`, `Down`, `C-c`.
    func press(_ key: String) async throws { try await tmux(["send-keys", key]) }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Returns the current content of the screen.
    func lines() async throws -> [String] {
        try await tmux(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    struct Modes: Equatable {
        /// Whether a program uses the alternate screen.
        var isAlternate: Bool
        var hasCursor: Bool
    }

    func modes() async throws -> Modes {
        let said = try await tmux(["display-message", "-p", "#{alternate_on} #{cursor_flag}"])
        return Modes(isAlternate: said.hasPrefix("1"), hasCursor: said.contains(" 1"))
    }

    /// Returns the terminal's settings as the shell sees them: `icanon`, `-echo`.
    func settings() async throws -> Set<String> {
        let file = folder.file("stty-\(calls)")
        try await type(line: "stty -a >\(file).new && mv \(file).new \(file)")
        return try await Waiting.until("how the terminal is set") {
            let words = Folder.text(file).split { $0 == " " || $0 == "\n" || $0 == ";" }
            return words.isEmpty ? nil : Set(words.map(String.init))
        }
    }

    /// Waits until the screen shows the expected content.
    @discardableResult
    func shows<Answer>(_ what: String, _ answer: ([String]) throws -> Answer?) async throws -> Answer {
        var last: [String] = []
        return try await Waiting.until(what, seen: { last.joined(separator: " | ") }) {
            last = try await lines()
            return try answer(last)
        }
    }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> String {
        calls += 1
        let base = folder.file("logs/tmux-\(calls)")
        let process = try RunningProcess(
            Self.program, ["-S", socket] + arguments, name: "tmux \(arguments.last ?? "")",
            output: base + ".out", complaints: base + ".err")
        try await process.endInOrder()
        return Folder.text(process.output)
    }
}
