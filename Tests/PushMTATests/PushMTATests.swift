import Foundation
import Testing

/// Tests the command line as a whole: usage, help, and exit statuses that belong to no single command.
struct PushMTATests {
    /// All commands that users can type. Help, manual pages and completions are tested with each command.
    static let commands = [
        "init", "run", "start", "stop", "restart", "reload", "status", "top", "config check", "config show",
        "sizing", "service create", "service list", "service show",
        "service update", "service delete", "app create",
        "app list", "app show", "app update", "app delete", "app test", "app switch",
        "app switch-back", "app rehearse", "app icon", "app integration", "app unknown-keys",
        "subscribers import",
        "subscribers export", "subscribers list", "subscribers add",
        "subscribers count",
        "subscribers show", "subscribers set", "subscribers remove", "subscribers erase", "delivery submit",
        "delivery preview",
        "delivery proof", "delivery list", "delivery show", "delivery document",
        "delivery log", "delivery pause", "delivery resume", "delivery stop", "delivery recall",
        "delivery copy", "delivery recount",
        "delivery retry-failed",
        "delivery release", "delivery stats",
        "service stats",
        "draft list", "draft show", "draft save", "draft submit", "draft remove", "send", "message list",
        "message show", "message cancel", "template save", "template list",
        "template show", "template delete",
        "quarantine list", "quarantine add", "quarantine release", "quarantine storm show",
        "quarantine storm confirm",
        "quarantine storm discard", "job list", "job show", "job cancel", "feedback poll", "store copy",
        "purge", "backup", "restore", "explain",
        "account resume", "host list", "host drain", "host resume", "token create", "token list",
        "token revoke", "user create", "user list", "user show", "user role", "user reset", "user remove",
        "user sessions", "user sign-out",
        "webhook create", "webhook list", "webhook show", "webhook update", "webhook rotate-secret",
        "webhook delete", "webhook test", "audit",
    ].map { $0.split(separator: " ").map(String.init) }

    @Test func `the tests cover every command of the program`() async throws {
        let help = try await Workspace(configuration: nil).run("--experimental-dump-help")
        let root = try #require((try help.json() as? [String: Any])?["command"] as? [String: Any])
        #expect(Set(Self.leaves(of: root)) == Set(Self.commands))
    }

    /// Returns the commands below this one that do something themselves.
    private static func leaves(of command: [String: Any]) -> [[String]] {
        let below = command["subcommands"] as? [[String: Any]] ?? []
        return below.filter {
            $0["shouldDisplay"] as? Bool != false && $0["commandName"] as? String != "help"
        }
        .flatMap { command in
            let name = command["commandName"] as? String ?? ""
            let leaves = Self.leaves(of: command)
            return leaves.isEmpty ? [[name]] : leaves.map { [name] + $0 }
        }
    }

    @Test(arguments: commands)
    func `every command describes itself and its options`(command: [String]) async throws {
        let workspace = try Workspace(configuration: nil)
        let help = try await workspace.run(command + ["--help"])
        #expect(help.status == 0)
        #expect(help.errors.isEmpty)
        #expect(help.output.hasPrefix("OVERVIEW: "))
        #expect(help.output.contains("USAGE: pushmta \(command.joined(separator: " "))"))
        // init writes the file that --config names.
        #expect(help.output.contains("--config") || command == ["init"])
        #expect(help.outputLines.allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") })
    }

    @Test func `the version is printed on one line`() async throws {
        let version = try await Workspace(configuration: nil).run("--version")
        #expect(version.status == 0)
        #expect(version.outputLines.count == 1)
        let said = try #require(
            version.output.wholeMatch(
                of:
                    /pushmta (\d+\.\d+\.\d+) \(commit ([0-9a-f]+\+?|unknown), schema \d+ on SQLite, \d+ on PostgreSQL\)\n/
            ))
        let changes = try String(contentsOf: Self.repository.appending(path: "CHANGELOG.md"), encoding: .utf8)
        #expect(changes.contains("\n## \(said.1)"), "CHANGELOG.md does not have this version")
    }

    static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    @Test func `the help does not list the child program`() async throws {
        let help = try await Workspace(configuration: nil).run("--help")
        #expect(help.output.contains("delivery"))
        #expect(!help.output.contains("mtachild"))
    }

    @Test(arguments: [
        ["nonsense"], ["delivery", "submit"], ["delivery", "show", "x"], ["delivery", "show", "0"],
        ["delivery", "list", "--limit", "0"], ["delivery", "log", "1", "--format", "xml"],
        ["service", "create", ""], ["service", "create", "two\nlines"], ["subscribers", "import", "f.csv"],
        ["app", "create", "x", "--platform", "symbian"], ["run", "--module", "cook"], ["status", "--colour"],
    ])
    func `a wrong command line ends with status 2 and shows the usage`(command: [String]) async throws {
        let finished = try await Workspace().run(command)
        #expect(finished.status == 2)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.hasPrefix("Error: "))
        #expect(finished.errors.contains("Usage: pushmta"))
    }

    @Test(arguments: [
        (["init", "other", "--port", "70000"], "must be a number from 0 to 65535"),
        (["stop", "--deadline=-1"], "must be a number of seconds, 0 or more"),
        (["delivery", "log", "0"], "a number from 1 on"),
        (["delivery", "release", "x"], "a number from 1 on"),
        (["delivery", "list", "--before", "x"], "a number from 1 on"),
        (["delivery", "list", "--limit", "0"], "an integer from 1 to 5000"),
        (["purge", "--older-than", "0", "--dry-run"], "an integer from 1 to "),
    ])
    func `an error about a number states which numbers are permitted`(
        command: [String], permitted: String
    ) async throws {
        let finished = try await Workspace().run(command)
        #expect(finished.status == 2 && finished.errors.contains(permitted), "\(finished.errors)")
    }

    @Test(arguments: [
        (["delivry", "list"], "delivery"), (["delivery", "sumbit", "x"], "submit"),
        (["quarantine", "strom", "show"], "storm"), (["quarantine", "storm", "shwo"], "show"),
    ])
    func `a misspelled command name is refused with a suggestion`(
        command: [String], meant: String
    ) async throws {
        let finished = try await Workspace().run(command)
        #expect(finished.status == 2)
        #expect(finished.errors.contains("Did you mean '\(meant)'?"), "\(finished.errors)")
        #expect(try await !Workspace().run("xyzzy").errors.contains("Did you mean"))
        #expect(try await !Workspace().run("delivery", "submit").errors.contains("Did you mean"))
    }

    @Test(arguments: [
        ["delivery", "submit"], ["delivery", "submit", "document.json", "--user-keys"],
        ["delivery", "preview", "--user-key", "anna"], ["delivery", "recall", "1", "--with"],
        ["delivery", "copy", "1", "--with"],
        ["send", "--app", "ios", "--user-key", "anna", "--content"], ["send", "--messages"],
        ["subscribers", "import", "--app", "ios"], ["template", "save", "sale", "--service", "neotrips"],
        ["app", "update", "ios", "--icon"], ["app", "update", "ios", "--p12"],
        ["webhook", "create", "crm", "--url", "https://crm.example.com/", "--ca-file"], ["restore"],
        ["config", "check", "--config"], ["status", "--config"],
    ])
    func `a file that does not exist, or is a folder, ends every command with status 1`(
        command: [String]
    ) async throws {
        let workspace = try await Workspace.withApp()
        try workspace.write(try Workspace.document(["target": NSNull()]), to: "document.json")
        for file in ["absent/file", "."] {
            let finished = try await workspace.run(command + [file])
            #expect(finished.status == 1 && finished.output.isEmpty, "\(finished.errors)")
            #expect(finished.errorLines.count == 1 && finished.errors.contains(file), "\(finished.errors)")
        }
    }

    @Test func `the configuration file can be named before and after the command`() async throws {
        let workspace = try Workspace(configuration: nil)
        try workspace.write(Workspace.configuration(), to: "conf/other.xml")
        try await workspace.succeed("--config", "conf/other.xml", "service", "create", "neotrips")
        let list = try await workspace.succeed("service", "list", "--config", "conf/other.xml")
        #expect(list.output.contains("neotrips"))
        // The path is relative to the file, not to the folder in which the command was typed.
        #expect(workspace.exists("conf/var/pushmta.db"))
    }
}
