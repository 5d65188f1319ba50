internal import ArgumentParser
internal import PushOperations

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
