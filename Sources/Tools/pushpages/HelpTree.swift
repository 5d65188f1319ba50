/// What a program says of its command line, as `--experimental-dump-help` of the argument parser has it.
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

    /// As it is typed, the program's name first.
    var words: [String] { (superCommands ?? []) + [commandName] }

    var shown: [HelpArgument] { (arguments ?? []).filter(\.shouldDisplay) }

    /// Those for people. The parser's own `help` is an option of each.
    var commands: [HelpCommand] {
        (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    }

    /// Those that do something: itself, or what is below it.
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
