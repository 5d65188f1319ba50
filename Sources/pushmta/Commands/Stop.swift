internal import ArgumentParser
internal import Glibc
internal import PushMaster
internal import PushModel
internal import PushOperations
internal import PushSystem

struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End the running service.",
        discussion: """
            The service takes nothing new, lets the gateways answer what is in flight, records it and ends; this command \
            returns when it has. What had no answer in time is sent again by the next one. Exit status 1 where no \
            service runs.
            """)

    @OptionGroup var stopping: StopOptions
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        let process = try stopping.stop(instance)
        try StandardOutput.line("process \(process) has ended")
    }
}

/// How a service is ended: also by `restart`.
struct StopOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Give it this long, at most; without it, as long as the slowest gateway may need.",
            valueName: "seconds"))
    var deadline: Int?

    /// Beside what it was given, for the last words to the store.
    private static let graceSeconds: Int64 = 15

    func validate() throws {
        if let deadline, deadline < 0 {
            throw ValidationError("--deadline is a number of seconds, 0 or more")
        }
    }

    /// A master of another version ends as well: it receives SIGTERM.
    /// - Returns: the process that ends.
    private func ask(_ instance: Instance) throws -> Int32 {
        do { return try instance.askMaster(StopEngine(withinSeconds: deadline)).pid } catch {
            guard error as? OperationError == .otherVersion,
                let process = LocalClient.terminate(storePath: instance.storePath)
            else { throw error }
            return process
        }
    }

    /// - Returns: the process that has ended.
    func stop(_ instance: Instance) throws -> Int32 {
        let process = try ask(instance)
        let usual = MasterSettings.drainSeconds(instance.settings)
        let limit = min(deadline.map(Int64.init) ?? usual, usual) + Self.graceSeconds
        let end = Clocks.monotonic().advanced(bySeconds: limit)
        while try InstanceLock.isHeld(besideStore: instance.storePath) {
            guard Clocks.monotonic() < end else {
                throw CommandFailure.failed(
                    "process \(process) has not ended within \(limit) s: look at its log, or end it with "
                        + "'kill -9 \(process)', which loses nothing")
            }
            usleep(20_000)
        }
        return process
    }
}
