internal import ArgumentParser
internal import PushOperations

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
