internal import ArgumentParser
internal import PushConfig
internal import PushMaster
internal import PushOperations
internal import PushStore

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the running master, its children, accounts and open deliveries.",
        discussion: """
            Exit status 1 where no master runs; what waits is shown all the same. Where one runs and the store cannot be \
            read, what the master says is shown.
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let status = try look()
        if json.isWanted { try StandardOutput.json(status) } else { try StandardOutput.lines(status.lines) }
        if !status.running { throw Ending.failed }
    }

    /// A master is asked by its socket: where the store's server is away, there is still what it says.
    private func look() throws -> StatusView {
        do { return try Operations(config).carryOut(ShowStatus()) } catch {
            let instance = try Instance(config)
            guard let master = try? ControlClient.status(storePath: instance.storePath) else { throw error }
            return StatusView(
                of: master, store: instance.settings.store.place.name, settings: instance.settings,
                unreadable: error)
        }
    }
}
