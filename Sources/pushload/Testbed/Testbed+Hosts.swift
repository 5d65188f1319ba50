/// More hosts on the testbed's database. The first is the testbed's own engine; the others have numbers from 2.
extension Testbed {
    /// Its configuration, with an instance folder of its own and the same key. It need not run: commands that are
    /// given it come from a machine without a master.
    package func makeHost(_ number: Int) throws -> String {
        let name = "serverConf-\(number).xml"
        guard !Folder.names(in: folder.path).contains(name) else { return folder.file(name) }
        try folder.make("var\(number)")
        try Folder.write(
            try Folder.read(folder.file("var/instance.key")), to: folder.file("var\(number)/instance.key"),
            mode: 0o600)
        let text = Folder.text(folder.file("serverConf.xml"))
        let pieces = text.split(separator: #"instanceFolder="var""#, omittingEmptySubsequences: false)
        try folder.write(pieces.joined(separator: "instanceFolder=\"var\(number)\""), to: name)
        return folder.file(name)
    }

    /// `pushmta run` of another host. Commands go on asking the first.
    /// - Parameter executable: another file of the same program.
    /// - Returns: its process, and where its log is.
    package func launchHost(_ number: Int, _ executable: String? = nil) throws -> (
        process: RunningProcess, log: String
    ) {
        let log = folder.file("host-\(number).log")
        let process = try start(
            executable ?? programs.pushmta, ["--config", try makeHost(number), "run"] + takeOverOptions,
            log: log)
        return (process, log)
    }

    /// A command by the configuration of another host, that must succeed.
    @discardableResult
    package func succeed(_ arguments: [String], onHost number: Int) async throws -> CommandResult {
        try await succeed(programs.pushmta, ["--config", try makeHost(number)] + arguments)
    }

    /// What `status` of another host says.
    package func status(ofHost number: Int) async throws -> StatusReport {
        let output = try await succeed(["status", "--json"], onHost: number).output
        return try StatusReport(json: output.utf8, from: "status --json")
    }

    /// Waits for this many hosts that send, as `host list` has it.
    package func waitForHosts(_ count: Int) async throws {
        try await Waiting.until("\(count) hosts to send") {
            try await listHosts().count { ["leading", "sending"].contains($0.state) } == count ? () : nil
        }
    }

    /// `host list`.
    package func listHosts() async throws -> [HostReport] {
        let text = try await succeed(["host", "list", "--json"]).output
        return try [HostReport](json: text.utf8, from: "host list --json")
    }

    package struct HostReport: Decodable, Sendable {
        package var state: String
        package var release: String
    }
}
