internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

struct SubscribersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers",
        abstract:
            "Import, export, list, count, show, add, set, remove and erase subscribers of applications.",
        subcommands: [
            SubscribersImport.self, SubscribersExport.self, listCommand(ShowSubscribers.self),
            SubscribersCount.self, SubscribersShow.self, SubscribersAdd.self, SubscribersRemove.self,
            command(EraseSubscribers.self), command(SetSubscriberState.self),
        ])
}

extension SetSubscriberState: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            Use this command only at the person's request. 'optedOut' excludes the person's devices from \
            deliveries that are prepared from now on, until the person opts in on the device or you set \
            'valid'. Registrations, imports and releases from quarantine do not change it. It does not apply \
            to another person who logs in on the device. The audit trail shows who set the state, with the \
            reason. Exit status 1 if there is no such device.

            Example: pushmta subscribers set --user-key anna --state optedOut --reason "e-mail of 3 May"
            """)
    static func lines(_ done: Answer) -> [String] {
        ["\(Numerals.count(done.changed, "subscriber")) changed, \(done.unchanged) unchanged"]
    }
}

extension ShowSubscribers: SubscriberListing {
    static let form = CommandForm(
        name: "list",
        abstract: "List the subscribers of an app or of a service, in the order of first registration.",
        discussion: """
            --where takes a condition as in the target of a delivery, such as '{"city": "Rome"}' or \
            '{"points": {">=": 100}}'. States: 'valid', 'counting' (valid, with errors that count), \
            'quarantined' and 'disabled' (see "quarantine list"), and 'optedOut' (see "subscribers \
            set"). The table shortens tokens; --whole-tokens and --json do not.

            Example: pushmta subscribers list --app shop-ios --state quarantined
            """,
        without: ["token", "userKey", "limit", "cursor"])
    static let emptyText = "there is no such subscriber"
    static let columns = ["TOKEN", "USER KEY", "STATE", "ERRORS", "FIRST REGISTERED", "LAST REGISTERED"]
    static let numericColumns: [String] = ["ERRORS"]
    static func token(of entry: SubscriberView) -> String { entry.token }
    static func row(_ entry: SubscriberView, token: String) -> [String] {
        [
            token, entry.userKey, entry.state, "\(entry.errors)", entry.createdAt.utcText,
            entry.registeredAt.utcText,
        ]
    }
}

struct SubscribersAdd: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Create a subscriber, or update the subscriber that has the token.",
        discussion: """
            The command has the same effect as a row in "subscribers import": without --lift-quarantine, a \
            subscriber in quarantine stays there; without --parameter, the previous parameters are kept if \
            the user key stays the same. Shells record the commands that you type: to keep tokens out of the \
            history, import them from a file.

            Example: pushmta subscribers add --app shop-ios --token 2b6f0cc9… --user-key anna --parameter \
            city=Rome
            """)

    @OptionGroup var members: MemberArguments<AddSubscriber>

    @Option(
        name: .customLong("parameter"),
        help: ArgumentHelp("A subscription parameter. May be repeated.", valueName: "name=value"))
    var parameters: [String] = []

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let parameters = parameters.isEmpty ? nil : SubscriberParameters(try named())
        try members.request(with: ["parameters": parameters?.json]).run(by: Operations(config), json)
    }

    private func named() throws -> [String: String] {
        var named: [String: String] = [:]
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw ValidationError("--parameter takes name=value.") }
            guard named.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                throw ValidationError("--parameter: \(parts[0].printable(atMost: 64)) is given twice.")
            }
        }
        return named
    }
}

extension AddSubscriber: CommandUseCase {
    static func lines(_ added: Answer) -> [String] { ["subscriber \(added.result.word)"] }
    static func conclude(_ added: Answer) {
        if added.optedOut {
            StandardError.line("the person has opted out, so deliveries exclude the subscriber")
        }
        guard added.excluded else { return }
        StandardError.line(
            "the subscriber stays in quarantine or disabled; --lift-quarantine makes it valid again")
    }
}

/// One person's devices, or one device.
struct PersonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The device with this registration token, in full.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("All devices with this user key.", valueName: "key"))
    var userKey: String?

    func validate() throws {
        guard (token == nil) != (userKey == nil) else {
            throw ValidationError("Give either --token or --user-key.")
        }
    }

    var who: SubscriberName { token.map { .token($0) } ?? .userKey(userKey ?? "") }
}

/// One person's devices, or one device, in one app or in all apps.
struct SubscriberOptions: ParsableArguments {
    @OptionGroup var person: PersonOptions

    @Option(
        help: ArgumentHelp("The application's name.", discussion: "Default: all of them."),
        completion: .appNames)
    var app: String?

    var who: SubscriberName { person.who }
}

struct SubscribersCount: PerformingCommand {
    static var useCases: [any UseCase.Type] { [CountSubscribers.self] }

    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count the subscribers of one application or of all applications.",
        discussion: """
            Subscribers that deliveries exclude are counted separately: 'quarantined' subscribers because of \
            the gateways' answers about their tokens, 'disabled' subscribers because a feedback service \
            reported that the app was removed from the device, and 'opted out' subscribers because the \
            person opted out.

            Example: pushmta subscribers count --app shop-ios
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

struct SubscribersShow: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ShowSubscribers.self] }

    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one person's devices, or one device.",
        discussion: """
            "replacement" states which subscriber a device gets if it registers with another token. Exit \
            status 1 if there is no such device.

            Example: pushmta subscribers show --user-key anna
            """)

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

/// The format of a subscriber file.
struct SubscriberFormatOption: ParsableArguments {
    @Option(help: "The format of the file.")
    var format: SubscriberFormat = .csv
}

extension SubscriberFormat: ExpressibleByArgument {}

struct SubscribersExport: AsyncParsableCommand, PerformingCommand {
    static let useCases: [any UseCase.Type] = [ExportSubscribers.self]
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the subscribers of an application as CSV or JSON lines.",
        discussion: """
            The format is that of 'subscribers import'. Each subscription parameter has a column, and so \
            does each fact that the server has collected, such as osLanguage and lastActiveAt. An import of \
            this file ignores these facts, except osLanguage.

            Example: pushmta subscribers export --app shop-ios > subscribers.csv
            """
    )

    @Option(help: "The application's name.", completion: .appNames)
    var app: String

    @Flag(help: "Leave out the facts that the server has collected.")
    var withoutFacts = false

    @OptionGroup var form: SubscriberFormatOption
    @OptionGroup var config: ConfigurationOption

    func run() async throws {
        let operations = try Operations(config)
        var output = FileWriter()
        try await ExportSubscribers(app: app, withFacts: !withoutFacts)
            .perform(in: operations, type: form.format.mediaType) { bytes in
                try output.append { $0 += bytes }
            }
        try output.finish()
    }
}

struct SubscribersRemove: PerformingCommand {
    static var useCases: [any UseCase.Type] { [RemoveSubscribers.self] }

    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove one person's devices, or one device.",
        discussion: """
            Logs of messages to the removed devices are kept, with the user key and without the token; \
            'subscribers erase' also removes the user key. A device that registers again is a new \
            subscriber. The command asks for confirmation on a terminal and requires --yes elsewhere. Exit \
            status 1 if there is no such device.

            Example: pushmta subscribers remove --user-key anna --app shop-ios
            """)

    @OptionGroup var subscriber: SubscriberOptions

    @Flag(help: "Do not ask for confirmation.")
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
                refusal: "nothing was removed")
        }
        let done = try operations.carryOut(RemoveSubscribers(subscriber.who, app: subscriber.app))
        guard done.removed > 0 else { throw subscriber.who.notFoundError(of: subscriber.app) }
        try StandardOutput.answer(done, json, "\(Numerals.count(done.removed, "subscriber")) removed")
    }
}

extension EraseSubscribers: Confirmed {
    static let form = CommandForm(
        discussion: """
            The command removes everything that 'subscribers remove' removes, from every application, and \
            everything that logs and targets contain about the person: user keys of devices that were \
            removed before, gateways' ids of the messages, and entries with their values in lists of \
            recipients. Statistics are kept. Backups, exported files and the attempt log are separate files: \
            remove them yourself. The command asks for confirmation on a terminal and requires --yes \
            elsewhere. Exit status 1 if nothing is known about the person.

            Example: pushmta subscribers erase --user-key anna
            """)

    func confirm(in operations: Operations) throws {
        try Confirmation.ask(
            "erase this person or device? This cannot be undone",
            elsewhere: "erasing cannot be undone; add --yes to confirm", refusal: "nothing was erased")
    }

    static func lines(_ done: ErasedSubscribers) -> [String] {
        guard done.hasFoundAny else { return [] }
        return [
            "\(Numerals.count(done.removed, "subscriber")) erased, \(done.remembered) removed before, "
                + "\(Numerals.count(done.listed, "place")) in targets"
        ]
    }

    static func conclude(_ done: ErasedSubscribers) throws {
        guard done.hasFoundAny else {
            throw OperationError.noMatch("nothing is known about this person or device")
        }
        guard done.unreadableParts > 0 else { return }
        StandardError.line(
            "warning: \(Numerals.count(done.unreadableParts, "part")) of deliveries cannot be read and may "
                + "contain data of the person; retention removes them")
    }
}

extension SubscriberView {
    var fields: [(name: String, value: String)] {
        let given = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let optOut = [optedOutAt?.utcText, optedOutBy.map { "by \($0)" }].compactMap(\.self)
        return [
            ("app", app),
            ("token", token),
            ("user key", userKey),
            ("parameters", given.joined(separator: ", ")),
            ("state", state),
            ("opted out", optOut.joined(separator: " ")),
            ("errors", "\(errors)"),
        ] + (quarantine?.fields ?? []) + [
            ("first registered", createdAt.utcText),
            ("last registered", registeredAt.utcText),
            ("last active", lastActiveAt.utcText),
            ("language", language),
            ("system", os),
            ("model", model),
            ("device name", deviceName),
            ("manufacturer", [brand, manufacturer].filter { !$0.isEmpty }.joined(separator: ", ")),
            ("replacement", replacement),
        ]
    }
}

extension SubscriberQuarantine {
    fileprivate var fields: [(name: String, value: String)] {
        var fields = [
            ("state since", since.utcText), ("last error", lastErrorAt.utcText),
            ("reported by", source.word), ("reason", reason),
        ]
        if let meaning { fields.append(("meaning", meaning)) }
        if let section { fields.append(("see", section)) }
        if let delivery { fields.append(("by delivery", "\(delivery)")) }
        return fields
    }
}

extension SubscriberCounts {
    /// The counts as text. The number of subscribers that receive messages comes first, and appears alone if
    /// there are no other subscribers.
    var text: String {
        guard disabled + quarantined + optedOut > 0 else { return String(subscribers) }
        let text = "\(valid) valid, \(quarantined) quarantined, \(disabled) disabled"
        return optedOut == 0 ? text : "\(text), \(optedOut) opted out"
    }

    static func table(_ counts: [SubscriberCounts]) -> TextTable {
        var table = TextTable(
            ["APP", "SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED", "OPTED OUT"],
            numeric: ["SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED", "OPTED OUT"])
        for count in counts {
            table.append(
                [count.app]
                    + [
                        count.subscribers, count.valid, count.quarantined, count.disabled, count.optedOut,
                    ].map { "\($0)" })
        }
        return table
    }
}
