/// Why a command did not do what it was asked, where no room has an error for it. One line: what, where, what to do.
struct CommandFailure: Error, CustomStringConvertible {
    let ending: Ending
    let description: String

    static func failed(_ description: String) -> CommandFailure {
        CommandFailure(ending: .failed, description: description)
    }

    static func refused(_ description: String) -> CommandFailure {
        CommandFailure(ending: .refused, description: description)
    }
}
