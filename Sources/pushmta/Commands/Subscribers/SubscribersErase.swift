internal import ArgumentParser
internal import PushOperations

struct SubscribersErase: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Remove one person, or one device, also from logs.",
        discussion: """
            Takes what 'subscribers remove' takes, of every application, and all that logs and targets say of the \
            person: user keys of devices that were removed before, names by which gateways know the messages, places \
            in lists of recipients and what these said. Statistics stay. Backups, exported files and the attempt log \
            are files of their own: remove them yourself. Asks on a terminal and wants --yes elsewhere. \
            Exit status 1 where nothing is known of the person.
            """)

    @OptionGroup var person: PersonOptions

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard person.userKey != "" else { throw ValidationError("An empty user key is nobody's.") }
    }

    func run() throws {
        let operations = try Operations(config)
        if !yes {
            try Confirmation.ask(
                "erase this \(person.token == nil ? "person" : "device")? It cannot be undone",
                elsewhere: "erasing cannot be undone; add --yes to do that", refusal: "nobody was erased")
        }
        var progress = ProgressLine()
        let done = try operations.carryOut(
            EraseSubscribers(person.who),
            watchedBy: Watch(report: { done in
                progress.show { "\(Self.words(done)) so far" }
            }))
        progress.clear()
        try StandardOutput.answer(done, json, Self.words(done))
        if done.unreadableParts > 0 {
            StandardError.line(
                "warning: \(Numerals.count(done.unreadableParts, "part")) of deliveries cannot be read and may "
                    + "keep something of the person; retention removes them")
        }
    }

    private static func words(_ done: ErasedSubscribers) -> String {
        "\(Numerals.count(done.removed, "subscriber")) erased, \(done.remembered) removed before, "
            + "\(Numerals.count(done.listed, "place")) in targets"
    }
}
