internal import ArgumentParser
internal import Glibc
internal import PushAPI

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

    /// nil: no file is named, and there is none where one would be.
    var pathOfFile: String? {
        if let named = here ?? root.config ?? ConfigurationPlace.named { return named }
        let path = ConfigurationPlace.path()
        return unsafe access(path, F_OK) == 0 ? path : nil
    }
}

/// Where the configuration is, unless `--config` names it.
package enum ConfigurationPlace {
    static let variable = "PUSHMTA_CONFIG"
    /// In the working directory: a folder with an instance of its own.
    static let here = "serverConf.xml"
    /// Where a package puts it.
    static let installed = "/etc/pushmta/serverConf.xml"

    /// Where there is no file at all, the one that errors should speak of.
    package static func path(variable: String?, exists: (String) -> Bool) -> String {
        if let variable, !variable.isEmpty { return variable }
        return exists(here) || !exists(installed) ? here : installed
    }

    static func path() -> String { path(variable: named, exists: { unsafe access($0, F_OK) == 0 }) }

    /// By the environment.
    static var named: String? {
        let text = unsafe getenv(variable).map { unsafe String(cString: $0) }
        return text?.isEmpty == false ? text : nil
    }
}

/// `--json`, wherever something is shown.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
    var isWanted = false
}

/// A name that somebody gives to a service or an app.
struct ObjectName: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard NameRule.accepts(argument) else { return nil }
        text = argument
    }
}
