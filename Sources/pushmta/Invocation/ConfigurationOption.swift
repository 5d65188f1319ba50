internal import ArgumentParser

/// `--config`, which may stand before the command or after it.
struct ConfigurationOption: ParsableArguments {
    static let help = ArgumentHelp(
        "The configuration file.", discussion: "Default: serverConf.xml in the working directory.",
        valueName: "file")

    @Option(name: .customLong("config"), help: ConfigurationOption.help)
    var here: String?

    @ParentCommand
    private var root: PushMTA

    var path: String { here ?? root.config ?? "serverConf.xml" }
}
