/// The description of a program's command line, as the argument parser's `--experimental-dump-help` prints
/// it.
package struct HelpTree: Decodable {
    var command: HelpCommand
}

struct HelpCommand: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool
    var superCommands: [String]?
    var arguments: [HelpArgument]?
    var subcommands: [HelpCommand]?

    /// The command as users type it, beginning with the program's name.
    var words: [String] { (superCommands ?? []) + [commandName] }

    var shown: [HelpArgument] { (arguments ?? []).filter(\.shouldDisplay) }

    /// The subcommands for users. The `help` subcommand that the parser adds is left out, because each
    /// command has help as an option.
    var commands: [HelpCommand] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }

    /// This command if it has no subcommands; otherwise, all commands below it that have no subcommands.
    var leaves: [HelpCommand] { commands.isEmpty ? [self] : commands.flatMap(\.leaves) }
}

struct HelpArgument: Decodable, Equatable {
    enum Kind: String, Decodable {
        case positional, option, flag
    }

    struct Name: Decodable, Equatable {
        enum Kind: String, Decodable {
            case long, short, longWithSingleDash
        }

        var kind: Kind
        var name: String
        var text: String { (kind == .long ? "--" : "-") + name }
    }

    var kind: Kind
    var shouldDisplay: Bool
    var isOptional: Bool
    var isRepeating: Bool
    var sectionTitle: String?
    var names: [Name]?
    var preferredName: Name?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var abstract: String?
    var discussion: String?
}
