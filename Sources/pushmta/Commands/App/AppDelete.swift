internal import ArgumentParser
internal import PushOperations

struct AppDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an application with its credential and its subscribers.",
        discussion: """
            Asks on a terminal and wants --yes elsewhere. Refused while a delivery to it has not ended. Logs of its \
            past deliveries stay, with user keys and without tokens. The application is gone at once; what an \
            interruption leaves of its subscribers goes with the next deletion or start of the service.
            """)

    @Argument(help: "The application's name.", completion: .appNames)
    var name: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        if !yes {
            let present = try operations.carryOut(ShowApp(name: name))
            let subscribers = Numerals.count(present.subscribers, "subscriber")
            try Confirmation.ask(
                "delete app \(present.app.name) with \(subscribers)?",
                elsewhere:
                    "app \(present.app.name) has \(subscribers), which go with it; add --yes to delete it",
                refusal: "nothing was deleted")
        }
        let deleted = try operations.carryOut(DeleteApp(name: name))
        try StandardOutput.answer(
            deleted, json,
            "app \(deleted.name) deleted with \(Numerals.count(deleted.subscribers, "subscriber"))")
    }
}
