internal import ArgumentParser
internal import PushModel
internal import PushStore

/// Which storm is meant.
struct StormArgument: ParsableArguments {
    @Argument(help: ArgumentHelp(
        "An application that is concerned, or the account as 'quarantine storm show' has it.",
        valueName: "app|account"))
    var name: String

    @OptionGroup var config: ConfigurationOption

    func account(in store: Store, of instance: Instance) throws -> AccountMark {
        let app = try store.catalogue.app(named: name)
        // An app whose account cannot be worked out may still be one that held verdicts are about.
        let account = app.flatMap { app in
            try? AppAccount(of: app, in: store, of: instance).mark.part(of: app.id)
        }
        return try Storms(of: store).named(name, account: account).summary.account
    }
}
