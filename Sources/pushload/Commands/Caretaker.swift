internal import ArgumentParser
internal import Glibc

/// Ends the processes of a testbed whose owner vanished without doing so, as by SIGKILL. Started by the
/// testbed itself.
struct Caretaker: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "caretaker", abstract: "Ends what a testbed leaves behind; started by it alone.",
        shouldDisplay: false)

    @Argument(help: "The testbed's folder.")
    var folder: String

    @Flag(help: "Remove the folder at the end.")
    var removes = false

    /// Standard input is a pipe whose other end nobody but the owner has: it ends when the owner does.
    func run() throws {
        for number in [SIGINT, SIGTERM, SIGHUP] { _ = signal(number, SIG_IGN) }
        var byte: UInt8 = 0
        var count: Int
        repeat { count = unsafe read(0, &byte, 1) } while count > 0 || (count < 0 && errno == EINTR)
        DatabaseServer.end(below: folder)
        for (processID, _) in ProcessTable.holding(folder) { kill(processID, SIGKILL) }
        if removes { Folder.remove(folder) }
    }
}
