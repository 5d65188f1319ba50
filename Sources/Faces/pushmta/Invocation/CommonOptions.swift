internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushModel

/// `--config`, which may precede or follow the command.
struct ConfigurationOption: ParsableArguments {
    static let help = ArgumentHelp(
        "The configuration file.",
        discussion: """
            Default: \(ConfigurationPlace.here) in the working directory, or else \
            \(ConfigurationPlace.installed). The environment variable \(ConfigurationPlace.variable) \
            replaces both.
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

    /// The path of the file; `nil` if no file is named and no file exists at the default path.
    var pathOfFile: String? {
        if let named = here ?? root.config ?? ConfigurationPlace.named { return named }
        let path = ConfigurationPlace.path()
        return unsafe access(path, F_OK) == 0 ? path : nil
    }
}

/// The location of the configuration file if `--config` does not name one.
package enum ConfigurationPlace {
    static let variable = "PUSHMTA_CONFIG"
    /// The name of the file in the working directory, for a folder that has its own instance.
    static let here = "serverConf.xml"
    /// The path where a package installs the file.
    static let installed = "/etc/pushmta/serverConf.xml"

    /// Returns the path of the configuration file. If no file exists, this is the path that errors should
    /// mention.
    package static func path(variable: String?, exists: (String) -> Bool) -> String {
        if let variable, !variable.isEmpty { return variable }
        return exists(here) || !exists(installed) ? here : installed
    }

    static func path() -> String { path(variable: named, exists: { unsafe access($0, F_OK) == 0 }) }

    /// The path that the environment variable names.
    static var named: String? {
        let text = unsafe getenv(variable).map { unsafe String(cString: $0) }
        return text?.isEmpty == false ? text : nil
    }
}

/// `--json`, for every command that shows something.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
    var isWanted = false
}

/// A name that a user gives to a service or an app.
struct ObjectName: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard NameRule.accepts(argument) else { return nil }
        text = argument
    }
}

/// Parsers of arguments that are numbers. The error for any other text states which numbers are permitted.
enum NumberArgument {
    static func within<Number: Comparable & LosslessStringConvertible & Sendable>(
        _ range: ClosedRange<Number>
    ) -> @Sendable (String) throws -> Number {
        return { text in
            guard let number = Number(text), range.contains(number) else {
                throw ValidationError("must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// Parses a number of seconds, which may be 0.
    @Sendable static func seconds(_ text: String) throws -> Int {
        guard let seconds = Int(text), seconds >= 0 else {
            throw ValidationError("must be a number of seconds, 0 or more")
        }
        return seconds
    }

    @Sendable static func deliveryID(_ text: String) throws -> DeliveryID {
        guard let id = DeliveryID(argument: text) else {
            throw ValidationError("the id of a delivery is a number from 1 on, as in 'pushmta delivery list'")
        }
        return id
    }
}
