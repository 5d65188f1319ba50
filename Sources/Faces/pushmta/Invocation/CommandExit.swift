internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushServer
internal import PushStore

/// The reason why a command did not do what was requested, for failures for which no target has an error
/// type. The text is one line: the failure, where it occurred, and what to do.
struct CommandFailure: Error, CustomStringConvertible {
    let ending: CommandExit
    let description: String

    /// The lines may contain file names and file contents, so line breaks in them are removed.
    private init(_ ending: CommandExit, _ lines: [String]) {
        self.ending = ending
        description = lines.map { $0.printable(atMost: Self.maxLineLength) }.joined(separator: "\npushmta: ")
    }

    static let maxLineLength = 1_000

    static func failed(_ description: String) -> CommandFailure { CommandFailure(.failed, [description]) }

    static func refused(_ description: String) -> CommandFailure { CommandFailure(.refused, [description]) }

    /// Returns a refusal with several reasons, one per line.
    static func refused(lines: [String]) -> CommandFailure { CommandFailure(.refused, lines) }
}

/// The exit status of a command. If everything has already been reported, a command throws only the status.
enum CommandExit: Int32, Error {
    case done = 0
    /// The command was prevented by something other than its input: the disk, the network or another process.
    /// A file that does not exist or cannot be read also leads to this status, whichever command or option
    /// names it, because there is no input to judge.
    case failed = 1
    /// The command line itself is wrong.
    case usage = 2
    /// The input is wrong: the contents of a file, a document or a name. Nothing was changed.
    case refused = 3
    /// The queried object has a problem. Only `status --check` ends with this status.
    case alarmed = 4
}

extension CommandExit {
    /// Maps an error from one of the targets to the exit status for the user. Returns `nil` for an error from
    /// the command-line parser.
    init?(of error: any Error) {
        switch error {
        case let error as CommandFailure: self = error.ending
        case let error as OperationError: self = CommandExit(error.kind)
        case is ConfigurationError, is StoreError: self = CommandExit(OperationError(error).kind)
        case is MasterError, is WebError: self = .failed
        default: return nil
        }
    }

    private init(_ kind: OperationError.Kind) {
        self =
            switch kind {
            case .failed, .unavailable, .noMatch, .cancelled: .failed
            case .usage: .usage
            case .refused, .malformed, .absent, .conflict, .forbidden: .refused
            }
    }
}
