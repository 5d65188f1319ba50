internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct SubscribersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers",
        abstract: "The subscribers of applications: import, export, count, show, remove, erase.",
        subcommands: [
            SubscribersImport.self, SubscribersExport.self, SubscribersCount.self, SubscribersShow.self,
            SubscribersRemove.self, SubscribersErase.self,
        ])
}

/// One person's devices, or one device.
struct PersonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The device with this registration token, whole.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("All devices with this user key.", valueName: "key"))
    var userKey: String?

    func validate() throws {
        guard (token == nil) != (userKey == nil) else {
            throw ValidationError("Give one of --token and --user-key.")
        }
    }

    var who: SubscriberName { token.map { .token($0) } ?? .userKey(userKey ?? "") }
}

/// The same, in one app or all.
struct SubscriberOptions: ParsableArguments {
    @OptionGroup var person: PersonOptions

    @Option(
        help: ArgumentHelp("The application's name.", discussion: "Default: all of them."),
        completion: .appNames)
    var app: String?

    var who: SubscriberName { person.who }
}

struct SubscribersCount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count the subscribers of an application, or of each.",
        discussion: """
            Those that deliveries leave out are told apart: 'quarantined', because of what gateways said of their \
            tokens; 'disabled', because a feedback service said that the app is gone from the device.
            """)

    @Option(
        help: ArgumentHelp("The application's name.", discussion: "Default: all of them."),
        completion: .appNames)
    var app: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let counts = try Operations(config).carryOut(CountSubscribers(app: app))
        guard app != nil, let only = counts.first else {
            if json.isWanted { return try StandardOutput.json(counts) }
            return try StandardOutput.lines(SubscriberCounts.table(counts).lines)
        }
        if json.isWanted { try StandardOutput.json(only) } else { try StandardOutput.line(only.text) }
    }
}

struct SubscribersShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one person's devices, or one device.",
        discussion: "Exit status 1 where there is none.")

    @OptionGroup var subscriber: SubscriberOptions
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let found = try Operations(config).everySubscriber(subscriber.who, app: subscriber.app)
        if json.isWanted { return try StandardOutput.json(found) }
        for (place, one) in found.enumerated() {
            if place > 0 { try StandardOutput.line("") }
            try StandardOutput.lines(FieldList(one.fields).lines)
        }
    }
}

struct SubscribersExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the subscribers of an application as CSV.",
        discussion: "The format that 'subscribers import' reads; every subscription parameter has its column."
    )

    @Option(help: "The application's name.", completion: .appNames)
    var app: String

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let operations = try Operations(config)
        var output = FileWriter()
        try ExportSubscribers(app: app).perform(in: operations) { bytes in try output.append { $0 += bytes } }
        try output.finish()
    }
}

struct SubscribersRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove one person's devices, or one device.",
        discussion: """
            Logs of what was sent to them stay, with the user key and without the token: 'subscribers erase' takes that \
            too. A device that registers again is a new subscriber. Asks on a terminal and wants --yes elsewhere. Exit status 1 where there is none.
            """)

    @OptionGroup var subscriber: SubscriberOptions

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        if !yes {
            let found = try operations.everySubscriber(subscriber.who, app: subscriber.app)
            let subscribers = Numerals.count(found.count, "subscriber")
            try Confirmation.ask(
                "remove \(subscribers)?", elsewhere: "\(subscribers) would be removed; add --yes to do that",
                refusal: "nobody was removed")
        }
        let done = try operations.carryOut(RemoveSubscribers(subscriber.who, app: subscriber.app))
        guard done.removed > 0 else { throw subscriber.who.isNobody(of: subscriber.app) }
        try StandardOutput.answer(done, json, "\(Numerals.count(done.removed, "subscriber")) removed")
    }
}

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

extension SubscriberView {
    var fields: [(name: String, value: String)] {
        let given = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [
            ("app", app),
            ("token", token),
            ("user key", userKey),
            ("parameters", given.joined(separator: ", ")),
            ("state", state),
            ("errors", "\(errors)"),
            ("first registered", createdAt.utcText),
            ("last registered", registeredAt.utcText),
        ]
    }
}

extension SubscriberCounts {
    /// How many are sent to comes first, and stands alone where that is all.
    var text: String {
        disabled + quarantined == 0
            ? String(subscribers) : "\(valid) valid, \(quarantined) quarantined, \(disabled) disabled"
    }

    static func table(_ counts: [SubscriberCounts]) -> TextTable {
        var table = TextTable(
            ["APP", "SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED"],
            numeric: ["SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED"])
        for count in counts {
            table.append(
                [count.app]
                    + [count.subscribers, count.valid, count.quarantined, count.disabled].map { "\($0)" })
        }
        return table
    }
}
