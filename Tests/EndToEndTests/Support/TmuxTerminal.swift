import Foundation
import Testing
import pushload

/// A real terminal of a size of our choice with a shell in it: tmux, with a server of its own.
final class TmuxTerminal {
    private static let program = "/usr/bin/tmux"
    private let socket: String
    private let folder: Folder
    private var calls = 0

    /// Where it is not installed a test says nothing; where tests are run for others (`CI` in the environment)
    /// that is a failure.
    static var isThere: Bool {
        if FileManager.default.isExecutableFile(atPath: program) { return true }
        if ProcessInfo.processInfo.environment["CI"] != nil { Issue.record("tmux is not installed") }
        return false
    }

    /// - Parameter folder: where its socket lies, and what its commands say.
    init(in folder: Folder, columns: Int, rows: Int) async throws {
        self.folder = folder
        socket = folder.file("tmux")
        try await tmux([
            "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "/bin/sh",
        ])
    }

    /// Ends the server and all that runs in it.
    func close() async { _ = try? await tmux(["kill-server"]) }

    /// Types a line to the shell.
    func type(line: String) async throws {
        try await tmux(["send-keys", "-l", line])
        try await press("Enter")
    }

    /// - Parameter key: as tmux calls it: `p`, `Down`, `C-c`.
    func press(_ key: String) async throws { try await tmux(["send-keys", key]) }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// What is on the screen now.
    func lines() async throws -> [String] {
        try await tmux(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    struct Modes: Equatable {
        /// A program has the other screen.
        var isAlternate: Bool
        var hasCursor: Bool
    }

    func modes() async throws -> Modes {
        let said = try await tmux(["display-message", "-p", "#{alternate_on} #{cursor_flag}"])
        return Modes(isAlternate: said.hasPrefix("1"), hasCursor: said.contains(" 1"))
    }

    /// How the terminal is set, as the shell finds it: `icanon`, `-echo`.
    func settings() async throws -> Set<String> {
        let file = folder.file("stty-\(calls)")
        try await type(line: "stty -a >\(file).new && mv \(file).new \(file)")
        return try await Waiting.until("how the terminal is set") {
            let words = Folder.text(file).split { $0 == " " || $0 == "\n" || $0 == ";" }
            return words.isEmpty ? nil : Set(words.map(String.init))
        }
    }

    /// Waits until the screen shows what is looked for.
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
