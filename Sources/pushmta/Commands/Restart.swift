internal import ArgumentParser
internal import PushMaster

struct Restart: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "End the running service, if there is one, and start it again.",
        discussion: """
            What 'pushmta stop' does and then 'pushmta start'. The configuration file is checked first: with one that is \
            wrong, the service that runs goes on.
            """)

    @OptionGroup var stopping: StopOptions
    @OptionGroup var starting: StartOptions
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        if try InstanceLock.isHeld(besideStore: instance.storePath) { _ = try stopping.stop(instance) }
        try starting.start(instance)
    }
}
