internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the running master, its children, accounts and open deliveries.",
        discussion: "Exit status 1 where no master runs; what waits is shown all the same.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let instance = try Instance(config)
        let master = try ControlClient.status(storePath: instance.storePath)
        let store = try instance.openStore()
        let deliveries = try store.deliveries.list(limit: Self.deliveriesLookedAt).filter { !$0.state.isFinal }
        let view = StatusView(
            storePath: instance.storePath, master: master, deliveries: deliveries,
            damaged: try store.repair.held(), now: Clocks.moment())
        if json.isWanted { try StandardOutput.json(view.json) } else { try StandardOutput.lines(view.lines) }
        if master == nil { throw Ending.failed }
    }

    /// The newest: an older one that still waits is shown by `delivery list`.
    private static let deliveriesLookedAt = 1_000
}
