internal import ArgumentParser
internal import Dispatch
internal import Glibc
internal import PushAPI
internal import PushConfig
internal import PushModel
internal import Synchronization

/// The entry point of a binary with several roles. It parses the command line, runs one command, and turns
/// the command's result into lines and an exit status.
@main
enum Program {
    /// The function is not `async`, because that would require a thread from Swift's pool, and a process that
    /// gets no thread would wait silently.
    static func main() {
        do {
            var command = try PushMTA.parseAsRoot()
            if let asynchronous = command as? any AsyncParsableCommand {
                try wait(for: asynchronous)
            } else {
                try command.run()
            }
        } catch let status as ExitCode {
            // A child process determines its own exit status.
            exit(status.rawValue)
        } catch {
            exit(report(error).rawValue)
        }
    }

    private static func wait(for command: sending any AsyncParsableCommand) throws {
        let ended = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Void, any Error>>(.success(()))
        Task.detached {
            var command = command
            do { try await command.run() } catch { result.withLock { $0 = .failure(error) } }
            ended.signal()
        }
        ended.wait()
        try result.withLock { $0 }.get()
    }

    /// Returns a suggestion for a command name that does not exist; empty if the command line has a different
    /// error.
    private static func suggestion() -> String {
        var type: any ParsableCommand.Type = PushMTA.self
        for word in CommandLine.arguments.dropFirst() where !word.hasPrefix("-") {
            let commands = type.configuration.subcommands
            if let next = commands.first(where: { $0._commandName == word }) {
                type = next
                continue
            }
            let names = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            return Suggestion.nearest(to: word, among: names).map { "\nDid you mean '\($0)'?" } ?? ""
        }
        return ""
    }

    /// Reports why a command ended early. If the user requested the text (help or the version), it is written
    /// to standard output.
    private static func report(_ error: any Error) -> CommandExit {
        if let ending = error as? CommandExit { return ending }
        if let ending = CommandExit(of: error) {
            if let error = error as? OperationError {
                for line in error.lines {
                    StandardError.complain(line.printable(atMost: CommandFailure.maxLineLength))
                }
            } else {
                // These two errors consist of lines, and unprintable characters were already removed from
                // each line.
                let hasLines = error is CommandFailure || error is ConfigurationError
                StandardError.complain(
                    hasLines ? "\(error)" : "\(error)".printable(atMost: CommandFailure.maxLineLength))
            }
            return ending
        }
        let text = PushMTA.fullMessage(for: error) + Self.suggestion()
        if PushMTA.exitCode(for: error) == .success {
            do {
                try StandardOutput.line(text)
                return .done
            } catch {
                StandardError.complain("\(error)")
                return .failed
            }
        }
        // The parser's text repeats the user's input and has several lines.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            StandardError.line(line.printable(atMost: .max))
        }
        return PushMTA.exitCode(for: error) == .validationFailure ? .usage : .failed
    }
}
