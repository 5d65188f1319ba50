internal import ArgumentParser
package import PushAPI

/// A command that performs use cases: clients of the API can do the same.
protocol PerformingCommand: ParsableCommand {
    static var useCases: [any UseCase.Type] { get }
}

/// A command that performs the use case whose members are its arguments.
protocol MemberCommand: PerformingCommand {
    associatedtype Request: Commanded
    var members: MemberArguments<Request> { get }
}

extension MemberCommand {
    static var useCases: [any UseCase.Type] { [Request.self] }
}

/// A command on the process or the files of the instance, which clients of the API cannot ask for.
protocol ProcessCommand: ParsableCommand {
    /// Why they cannot, in a sentence that Docs/CommandLine.md has, too.
    static var localReason: String { get }
}

/// A command of the program that has no subcommands, for what is derived from all of them.
package struct LeafCommand: Sendable {
    /// `app test`.
    package let name: String
    /// What it performs; nil: it does not declare it.
    package let useCases: [any UseCase.Type]?
    /// Why a client of the API cannot ask for it; nil: it can.
    package let localReason: String?

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
                localReason: (command as? any ProcessCommand.Type)?.localReason)
        ]
    }
}
