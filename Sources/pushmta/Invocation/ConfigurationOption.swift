internal import ArgumentParser

/// `--config`, which may stand before the command or after it.
struct ConfigurationOption: ParsableArguments {
    static let help = ArgumentHelp(
        "The configuration file.",
        discussion: """
            Default: \(ConfigurationPlace.here) in the working directory, or else \(ConfigurationPlace.installed). The \
            environment variable \(ConfigurationPlace.variable) takes the place of both.
            """,
        valueName: "file")
    static let completion = CompletionKind.file(extensions: ["xml"])

    @Option(
        name: .customLong("config"), help: ConfigurationOption.help,
        completion: ConfigurationOption.completion)
    var here: String?

    @ParentCommand
    private var root: PushMTA

    var path: String { here ?? root.config ?? ConfigurationPlace.path() }
}
