internal import ArgumentParser
internal import Glibc
internal import PushConfig
internal import PushOperations

/// One binary, several roles: parses, runs one command, and turns what became of it into lines and an exit status.
@main
enum Program {
    static func main() async {
        do {
            var command = try PushMTA.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
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

    /// What may have been meant by a command that does not exist; empty where the command line goes wrong elsewhere.
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

    /// Says why a command ended early, on standard output where that is what was asked for (help, the version).
    private static func report(_ error: any Error) -> Ending {
        if let ending = error as? Ending { return ending }
        if let ending = Ending(of: error) {
            if let error = error as? OperationError {
                for line in error.lines { StandardError.complain(line.visible) }
            } else {
                StandardError.complain("\(error)")
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
        StandardError.line(text)
        return PushMTA.exitCode(for: error) == .validationFailure ? .usage : .failed
    }
}
