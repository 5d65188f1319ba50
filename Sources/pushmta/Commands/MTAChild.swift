internal import ArgumentParser
internal import PushChild

/// `mtachild`: what the master starts. Takes nothing from the command line and reads no file.
struct MTAChild: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mtachild", abstract: "A child of the master; started by it alone.", shouldDisplay: false
    )

    func run() throws {
        throw ExitCode(ChildMain.run())
    }
}
