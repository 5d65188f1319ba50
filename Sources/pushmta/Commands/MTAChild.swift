internal import ArgumentParser
internal import Glibc
internal import PushChild

/// `mtachild`: what the master starts. Takes nothing from the command line and reads no file.
struct MTAChild: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mtachild", abstract: "A child of the master; started by it alone.", shouldDisplay: false
    )

    func run() throws {
        takeName()
        throw ExitCode(ChildMain.run())
    }

    /// It was started as /proc/self/exe, and lists of processes would call it exe (proc(5), /proc/[pid]/comm).
    private func takeName() {
        let file = unsafe open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let name = Array(PushMTA._commandName.utf8)
        unsafe _ = write(file, name, name.count)
    }
}
