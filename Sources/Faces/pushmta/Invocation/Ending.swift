internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushServer
internal import PushStore

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

/// How a command ends: its exit status. Thrown bare where everything has been said already.
enum Ending: Int32, Error {
    case done = 0
    /// Something outside what was given is in the way: the disk, the network, another process.
    case failed = 1
    /// The command line itself is wrong.
    case usage = 2
    /// What was given is wrong: a file, a document, a name. Nothing was changed.
    case refused = 3
    /// What was asked about is in trouble: `status --check`.
    case alarmed = 4
}

extension Ending {
    /// What an error of one of the targets means to whoever typed the command; nil where it is the parser's.
    init?(of error: any Error) {
        switch error {
        case let error as CommandFailure: self = error.ending
        case let error as OperationError: self = Ending(error.kind)
        case is ConfigurationError, is StoreError: self = Ending(OperationError(error).kind)
        case is MasterError, is WebError: self = .failed
        default: return nil
        }
    }

    private init(_ kind: OperationError.Kind) {
        self =
            switch kind {
            case .failed, .unavailable, .noMatch, .cancelled: .failed
            case .usage: .usage
            case .refused, .malformed, .absent, .conflict: .refused
            }
    }
}
