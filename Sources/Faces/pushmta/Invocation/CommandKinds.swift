internal import ArgumentParser
package import PushAPI

/// A command that performs use cases. Clients of the API can perform the same use cases.
protocol PerformingCommand: ParsableCommand {
    static var useCases: [any UseCase.Type] { get }
}

/// A command that performs one use case and takes that use case's members as its arguments.
protocol MemberCommand: PerformingCommand {
    associatedtype Request: CommandUseCase
    var members: MemberArguments<Request> { get }
}

extension MemberCommand {
    static var useCases: [any UseCase.Type] { [Request.self] }
}

/// A command that acts on the process or the files of the instance, so clients of the API cannot request it.
protocol ProcessCommand: ParsableCommand {
    /// The reason why clients of the API cannot request the command, in a sentence that also appears in
    /// Docs/Operate/CommandLine.md.
    static var localReason: String { get }
}

/// A command without subcommands. Information about the whole command line is derived from all leaf commands.
package struct LeafCommand: Sendable {
    /// The name, such as `app test`.
    package let name: String
    /// The use cases that the command performs; `nil` if it does not declare them.
    package let useCases: [any UseCase.Type]?
    /// The reason why a client of the API cannot request the command; `nil` if a client can.
    package let localReason: String?
    /// The help's text, whose last paragraph is an example.
    package let discussion: String

    /// Parses a command line without the program's name, and runs nothing.
    /// - Throws: The reason why the program would refuse it.
    package static func parse(_ words: [String]) throws { _ = try PushMTA.parseAsRoot(words) }

    package static let all = leaves(of: PushMTA.self, [])

    private static func leaves(of command: any ParsableCommand.Type, _ words: [String]) -> [LeafCommand] {
        let below = command.configuration.subcommands
        guard below.isEmpty else {
            return below.flatMap { leaves(of: $0, words + [$0.configuration.commandName ?? ""]) }
        }
        return [
            LeafCommand(
                name: words.joined(separator: " "),
                useCases: (command as? any PerformingCommand.Type)?.useCases,
                localReason: (command as? any ProcessCommand.Type)?.localReason,
                discussion: command.configuration.discussion)
        ]
    }
}
