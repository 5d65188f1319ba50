/// A manual page (section 1), for the program or for one of its first-level commands and its subcommands.
package struct ManualPage {
    /// The information on a page that does not come from the program's help.
    package struct Edition {
        var version: String
        /// The date in mdoc's format: `November 22, 2026`.
        var date: String

        package init(version: String, date: String) {
            self.version = version
            self.date = date
        }
    }

    package let name: String
    package let text: String

    /// Returns the program's page, followed by one page per command.
    package static func pages(of tree: HelpTree, _ edition: Edition) -> [ManualPage] {
        [program(tree.command, edition)]
            + tree.command.commands.map { command($0, of: tree.command, edition) }
    }

    private static func program(_ root: HelpCommand, _ edition: Edition) -> ManualPage {
        var page = MdocWriter()
        head(&page, name: root.commandName, root, edition)
        page.macro("Sh", "SYNOPSIS")
        synopsis(&page, root, with: root.shown, command: true)
        page.macro("Sh", "DESCRIPTION")
        page.prose(root.discussion ?? "")
        page.macro("Pp")
        page.prose("Each command has its own page:")
        page.list(root.commands) { page, command in
            page.raw(".It Xr \(pageName(command)) 1")
            page.prose(command.abstract ?? "")
        }
        page.macro("Sh", "OPTIONS")
        page.prose("Every command accepts these options, before or after its name.")
        list(&page, root.shown)
        if root.commandName == "pushmta" {
            page.macro("Sh", "FILES")
            page.list(serviceFiles) { page, file in
                page.raw(".It Pa \(file.path)")
                page.prose(file.meaning)
            }
        }
        seeAlso(&page, root.commands.map(pageName))
        return ManualPage(name: root.commandName, text: page.text)
    }

    /// The files of a service. The pages of the other programs do not list files.
    private static let serviceFiles: [(path: String, meaning: String)] = [
        ("/etc/pushmta/serverConf.xml", "The configuration of a service that was installed from a package."),
        ("/var/lib/pushmta", "The store of that service, with the instance's key."),
        (
            "/usr/share/doc/pushmta",
            "The detailed documentation of the configuration, the command line and the guarantees."
        ),
    ]

    private static func command(_ command: HelpCommand, of root: HelpCommand, _ edition: Edition)
        -> ManualPage
    {
        var page = MdocWriter()
        let name = pageName(command)
        head(&page, name: name, command, edition)
        page.macro("Sh", "SYNOPSIS")
        for leaf in command.leaves { synopsis(&page, leaf, with: own(leaf, alongside: root), command: false) }
        page.macro("Sh", "DESCRIPTION")
        page.prose(command.discussion ?? command.abstract ?? "")
        for leaf in command.leaves {
            if !command.commands.isEmpty {
                page.macro("Ss", leaf.words.joined(separator: " "))
                page.prose(leaf.abstract ?? "")
                page.furtherProse(leaf.discussion)
            }
            list(&page, own(leaf, alongside: root))
        }
        page.macro("Pp")
        page.prose("Files, exit statuses and the options of all commands are described in")
        page.raw(".Xr \(root.commandName) 1 .")
        seeAlso(&page, [root.commandName])
        return ManualPage(name: name, text: page.text)
    }

    /// Returns those arguments of a command that the program's own page does not describe.
    private static func own(_ command: HelpCommand, alongside root: HelpCommand) -> [HelpArgument] {
        let common = root.shown.flatMap { $0.names ?? [] }
        return command.shown.filter { !($0.names ?? []).contains { common.contains($0) } }
    }

    private static func pageName(_ command: HelpCommand) -> String { command.words.joined(separator: "-") }
}

// MARK: Sections

extension ManualPage {
    private static func head(
        _ page: inout MdocWriter, name: String, _ command: HelpCommand, _ edition: Edition
    ) {
        page.raw(".\\\" Generated from the help of \(command.words[0]). Do not edit.")
        page.raw(".Dd \(edition.date)")
        page.raw(".Dt \(name.uppercased()) 1")
        page.raw(".Os \"\(command.words[0]) \(edition.version)\"")
        page.macro("Sh", "NAME")
        page.raw(".Nm \(name)")
        var abstract = command.abstract ?? command.commandName
        if abstract.hasSuffix(".") { abstract.removeLast() }
        page.raw(".Nd \(MdocWriter.escaped(abstract))")
    }

    private static func synopsis(
        _ page: inout MdocWriter, _ command: HelpCommand, with arguments: [HelpArgument],
        command isFollowed: Bool
    ) {
        page.raw(".Nm \(command.words[0])")
        let words = command.words.dropFirst()
        if !words.isEmpty { page.raw(".Cm \(MdocWriter.escaped(words.joined(separator: " ")))") }
        for argument in arguments {
            let text = argument.macros(name: argument.preferredName)
            let repeated = argument.isRepeating ? text + " ..." : text
            page.raw(argument.isOptional ? ".Op \(repeated)" : ".\(repeated)")
        }
        if isFollowed {
            page.raw(".Ar command")
            page.raw(".Op Ar argument ...")
        }
    }

    private static func list(_ page: inout MdocWriter, _ arguments: [HelpArgument]) {
        guard !arguments.isEmpty else { return }
        page.list(arguments) { page, argument in
            let names = (argument.names ?? []).map { argument.macros(name: $0) }
            page.raw(".It " + (names.isEmpty ? argument.macros(name: nil) : names.joined(separator: " , ")))
            page.prose(argument.abstract ?? "")
            if let values = argument.allValues, !values.isEmpty {
                page.prose("One of \(values.joined(separator: ", ")).")
            }
            if let value = argument.defaultValue { page.prose("Default: \(value).") }
            page.furtherProse(argument.discussion)
        }
    }

    private static func seeAlso(_ page: inout MdocWriter, _ names: [String]) {
        page.macro("Sh", "SEE ALSO")
        for (index, name) in names.sorted().enumerated() {
            page.raw(".Xr \(name) 1" + (index + 1 < names.count ? " ," : ""))
        }
    }
}

extension HelpArgument {
    /// Returns the argument with its value, in mdoc markup.
    fileprivate func macros(name: Name?) -> String {
        let value = "Ar \(MdocWriter.escaped(valueName ?? "value"))"
        guard let name else { return value }
        // Fl writes one minus sign itself.
        let flag = "Fl \(MdocWriter.escaped(String(name.text.dropFirst())))"
        return kind == .flag ? flag : "\(flag) \(value)"
    }
}
