internal import ArgumentParser
internal import Dispatch
internal import Glibc
internal import PushAPI
internal import PushConfig
internal import PushModel
internal import Synchronization

/// One binary, several roles: parses, runs one command, and turns what became of it into lines and an exit
/// status.
@main
enum Program {
    /// Not `async`: that takes a thread of Swift's pool, and a process that gets none would wait for it in
    /// silence.
    static func main() {
        do {
            var command = try PushMTA.parseAsRoot()
            if let asynchronous = command as? any AsyncParsableCommand {
                try wait(for: asynchronous)
            } else {
                try command.run()
            }
        } catch let status as ExitCode {
            // A child's own.
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

    /// What may have been meant by a command that does not exist; empty where the command line goes wrong
    /// elsewhere.
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

    /// Says why a command ended early, on standard output where that is what was asked for (help, the
    /// version).
    private static func report(_ error: any Error) -> Ending {
        if let ending = error as? Ending { return ending }
        if let ending = Ending(of: error) {
            if let error = error as? OperationError {
                for line in error.lines {
                    StandardError.complain(line.printable(atMost: CommandFailure.longestLine))
                }
            } else {
                // These two have lines, and have cleaned each.
                let hasLines = error is CommandFailure || error is ConfigurationError
                StandardError.complain(
                    hasLines ? "\(error)" : "\(error)".printable(atMost: CommandFailure.longestLine))
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
        // The parser repeats what was typed, and has lines.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            StandardError.line(line.printable(atMost: .max))
        }
        return PushMTA.exitCode(for: error) == .validationFailure ? .usage : .failed
    }
}
