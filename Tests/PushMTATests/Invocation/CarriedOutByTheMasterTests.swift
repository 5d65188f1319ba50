import Foundation
import Glibc
import PushAPI
import PushMaster
import PushStore
import TestSupport
import Testing

/// Tests commands while a master is running.
struct CarriedOutByTheMasterTests {
    private func operations(_ workspace: Workspace) async throws -> Int? {
        let status = try await workspace.run("status", "--json").json() as? [String: Any]
        return (status?["master"] as? [String: Any])?["operations"] as? Int
    }

    private func serving(_ master: RunningCommand) async throws { try await master.waitForOutput("serving ") }

    @Test func `the running master executes changes to the store`() async throws {
        let workspace = try await Workspace.withApp()
        try workspace.write("user1\n", to: "keys")
        try await workspace.withMaster { master in
            try await serving(master)
            #expect(try await operations(workspace) == 0)
            let submitted = try await workspace.succeed(
                "delivery", "submit", "-", input: try Workspace.document())
            #expect(submitted.output == "1\n")
            #expect(try await operations(workspace) == 1)
            // The command reads files itself, in its own folder.
            try await workspace.succeed(
                "delivery", "submit", "-", "--user-keys", "keys",
                input: try Workspace.document(["target": NSNull()]))
            try await workspace.succeed("service", "create", "more")
            try await workspace.succeed(
                ["app", "create", "second"] + Workspace.stubApp("second").dropFirst(3))
            #expect(try await operations(workspace) == 4)
            // Read-only commands are not passed to the master, and neither are commands that depend on the
            // working folder.
            try await workspace.succeed("service", "list")
            try await workspace.succeed("config", "check")
            #expect(try await operations(workspace) == 4)
        }
    }

    @Test func `a refusal has the same text with and without a master`() async throws {
        let workspace = try await Workspace.withApp()
        let commands: [([String], String)] = [
            (["service", "create", "neotrips"], ""), (["app", "update", "nobody", "--variable", "x"], ""),
            (["delivery", "submit", "-"], try Workspace.document(["apps": ["nobody"], "strange": 1])),
            (["delivery", "submit", "-"], "nonsense"), (["service", "delete", "neotrips"], ""),
        ]
        var alone: [Finished] = []
        for (arguments, input) in commands { alone.append(try await workspace.run(arguments, input: input)) }
        try await workspace.withMaster { master in
            try await serving(master)
            for (index, (arguments, input)) in commands.enumerated() {
                let finished = try await workspace.run(arguments, input: input)
                #expect(finished.status == alone[index].status && finished.status != 0)
                #expect(finished.errors == alone[index].errors)
                #expect(finished.output == alone[index].output)
            }
            #expect(try await operations(workspace) == commands.count)
        }
    }

    @Test
    func `if the master has other settings, a command executes its change itself, with its own settings`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.withMaster { master in
            try await serving(master)
            let edited = Workspace.configuration(mta: #"autoStart="true" logLevel="1""#)
            try workspace.write(edited, to: "serverConf.xml")
            try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
            #expect(try await operations(workspace) == 0)
        }
    }

    @Test func `a command can use the running service while the configuration file is being edited`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let sound = Workspace.configuration(mta: #"autoStart="true""#)
        try await workspace.withMaster { master in
            try await serving(master)
            // The part of the file that names the store can still be read.
            try workspace.write(sound.replacing("<mta", with: "<mta half"), to: "serverConf.xml")
            try await workspace.succeed("service", "create", "more")
            #expect(try await workspace.succeed("service", "list").output.contains("more"))
            try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
            #expect(try await operations(workspace) ?? 0 >= 3)
            // A command that the service does not execute needs the settings.
            let purge = try await workspace.run("purge", "--dry-run")
            #expect(purge.status == 3 && purge.errors.contains("serverConf.xml"), "\(purge.errors)")
        }
        // If no service is running, the file is needed.
        #expect(try await workspace.run("service", "list").status == 3)
    }

    @Test(arguments: [
        (#"<mta autoStart="true"/>"#, #"<mta autoStart="true"></mta"#, ":5:25: error:"),
        (#"<mta autoStart="true"/>"#, #"<mta logLevel="9" verifyMode="x"/>"#, ":5:18: error: mta/@logLevel:"),
    ])
    func `a command that the service answers warns once about a broken configuration file`(
        sound: String, broken: String, place: String
    ) async throws {
        let workspace = try await Workspace.withApp()
        let commands = [
            ["status"], ["status", "--check"], ["status", "--json"], ["app", "list"], ["delivery", "list"],
            ["send", "--app", "ios", "--user-key", "nobody", "--title", "Hello"],
            ["service", "create", "more"], ["stop"],
        ]
        try await workspace.withMaster { master in
            try await serving(master)
            let healthy = try await workspace.run(
                "send", "--app", "ios", "--user-key", "nobody", "--title", "x")
            #expect(!healthy.errors.contains("warning:"))
            try workspace.write(
                Workspace.configuration().replacing(sound, with: broken), to: "serverConf.xml")
            for command in commands {
                let finished = try await workspace.run(command)
                #expect(finished.status == (command[0] == "send" ? 3 : 0), "\(command): \(finished.errors)")
                let warnings = finished.errorLines.filter { $0.hasPrefix("warning: ") }
                #expect(warnings.count == 1, "\(command): \(finished.errors)")
                for part in [
                    "serverConf.xml" + place, "still uses its earlier configuration",
                    "'pushmta config check'",
                ] {
                    #expect(warnings.first?.contains(part) == true, "\(command): \(finished.errors)")
                }
                if command[0] != "send" { #expect(finished.errorLines.count == 1) }
            }
        }
    }

    @Test
    func `if the master is suspended, a command executes its change itself, and the change is made once`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.withMaster { master in
            try await serving(master)
            try await stop(master.processID, betweenWritesTo: workspace.path("var/pushmta.db"))
            defer { master.signal(SIGCONT) }
            let submitted = try await workspace.succeed(
                "delivery", "submit", "-", input: try Workspace.document())
            #expect(submitted.output == "1\n")
            master.signal(SIGCONT)
            #expect(try await operations(workspace) == 0)
            #expect(try workspace.openStore().deliveries.list(limit: 10).count == 1)
        }
    }

    @Test func `if a master dies while it handles a submission, the command prints one line and ends with 1`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let socket = try LocalSocket(forStore: try workspace.openStore().path)
        // A command waits two seconds until the service accepts it. If the machine is too busy for that, the
        // command submits the delivery itself.
        for before in 0..<20 {
            let command = try workspace.start(["delivery", "submit", "-"], input: try Workspace.document())
            let wasTaken = try await takeRequest(at: socket)
            let finished = try await command.finished()
            guard wasTaken else { continue }
            #expect(finished.status == 1)
            #expect(finished.output.isEmpty)
            #expect(finished.errorLines.count == 1)
            #expect(finished.errors.contains("'pushmta delivery list'"))
            #expect(try workspace.openStore().deliveries.list(limit: 30).count == before)
            return
        }
        Issue.record("no command was admitted in time")
    }

    /// Receives a command's request as a service does, and then closes the connection. Runs on its own
    /// thread, because other tests in the suite occupy the threads for tasks for seconds.
    /// - Returns: `false` if the command had given up.
    private func takeRequest(at socket: LocalSocket) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try Self.takeRequest(at: socket) }) }
        }
    }

    private static func takeRequest(at socket: LocalSocket) throws -> Bool {
        let deadline = ContinuousClock.now + Patience.limit
        while ContinuousClock.now < deadline {
            let descriptor = accept(socket.descriptor, nil, nil)
            guard descriptor >= 0 else {
                usleep(1_000)
                continue
            }
            defer { close(descriptor) }
            // A command that did the work itself sends a notification.
            guard request(from: descriptor).hasPrefix("GET /api/v1/instance ") else { continue }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
            guard unsafe send(descriptor, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else {
                return false
            }
            return request(from: descriptor).hasPrefix("POST /api/v1/deliveries?")
        }
        return false
    }

    /// Returns the bytes received until none arrive for a moment.
    private static func request(from client: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            var item = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&item, 1, bytes.isEmpty ? 30_000 : 300) == 1,
                case let count = unsafe read(client, &buffer, buffer.count), count > 0
            else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
