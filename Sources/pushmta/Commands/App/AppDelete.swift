internal import ArgumentParser
internal import PushOperations

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
        let deleted = try Operations(config).carryOut(DeleteApp(name: name))
        try StandardOutput.line("app \(deleted.name) deleted with \(Numerals.count(deleted.subscribers, "subscriber"))")
    }
}
