internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushStore

struct AppDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an application with its credential and its subscribers.",
        discussion: """
            Refused while a delivery to it has not ended. Logs of its past deliveries stay. The application is gone at \
            once; what an interruption leaves of its subscribers goes with the next deletion or start of the service.
            """)

    @Argument(help: "The application's name.")
    var name: String

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let app = try store.catalogue.requireApp(named: name)
        let subscribers = try store.subscribers.count(of: app.id)
        var courtesy = Courtesy(storePath: instance.storePath)
        let writer = store.catalogueWriter(key: try store.instanceKey())
        try writer.deleteApp(app.id, at: Clocks.moment(), pause: { courtesy.pause() })
        try StandardOutput.line("app \(app.name) deleted with \(Numerals.count(subscribers, "subscriber"))")
    }
}
