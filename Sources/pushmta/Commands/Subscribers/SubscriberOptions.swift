internal import ArgumentParser
internal import PushOperations

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
