internal import Glibc
internal import Synchronization

/// A complete testbed in its own folder: a synthetic gateway, an engine with its store, and the operator's
/// commands, all as real processes.
///
/// **Promises.** When ``use(_:keepsFolder:_:)`` returns or throws, every process that it started has ended
/// and been reaped, including the engine's children. The folder is removed on success. On failure, the folder
/// is kept with all logs, and a line on standard error contains its path. **Failures.** ``LoadError``, on one
/// line. **Neighbours.** `Testbed+Gateway`, `Testbed+Engine`, `Testbed+Operator`, ``DeliveryAudit``.
package final class Testbed {
    package let settings: TestbedSettings
    package let folder: Folder
    package let programs: Programs
    /// The account for which the sink's certificates were created.
    package internal(set) var account = Account(keyID: "", teamID: "", bundleID: "")

    package struct Account: Decodable, Equatable, Sendable {
        package var keyID: String
        package var teamID: String
        package var bundleID: String
    }

    /// The ports on which the sink's gateways and the engine's web module listen, if they are running.
    package struct GatewayPorts: Sendable {
        package var apns: Int { reserved[0].number }
        package var fcm: Int { reserved[1].number }
        package var oauth: Int { reserved[2].number }
        package var binary: Int { reserved[3].number }
        package var feedback: Int { reserved[4].number }
        /// The port of the engine's web module, if the module always uses the same port.
        package var web: Int { reserved[5].number }
        private let reserved: [ReservedPort]

        init() throws(LoadError) {
            reserved = try (0..<6).map { _ throws(LoadError) in try ReservedPort() }
        }
    }

    /// The running gateway. The next properties are its ports, and the logs and summaries of all gateways
    /// that have run in this testbed.
    package internal(set) var sink: RunningProcess?
    package let ports: GatewayPorts
    package internal(set) var gatewayLogs: [String] = []
    package internal(set) var fcmLogs: [String] = []
    package internal(set) var binaryLogs: [String] = []
    package internal(set) var gatewaySummaries: [String] = []

    /// The server of the store, if the store has one.
    package private(set) var databaseServer: DatabaseServer?
    package static let database = "push"

    /// The hosts that share the store, if a scenario created them.
    package internal(set) var hosts: [TestbedHost] = []

    /// The master that was started last.
    package internal(set) var engine: RunningProcess?
    package internal(set) var engineLogs: [String] = []
    /// Texts that a scenario expects in those lines of the engine's log that are at level error or worse.
    package var expectedComplaints: [String] = []

    private static let certificates = Mutex<[String: [UInt8]]>([:])
    private var processes: [RunningProcess] = []
    private var startedCount = 0
    private let caretaker: CleanupProcess

    private init(_ settings: TestbedSettings) throws(LoadError) {
        self.settings = settings
        programs = try Programs()
        ports = try GatewayPorts()
        folder = try Folder()
        try folder.make("logs")
        caretaker = try CleanupProcess(of: folder.path, log: folder.file("logs/0-caretaker"))
    }

    /// - Parameter keepsFolder: Returns whether to keep the folder; called at the end if the body did not
    ///   throw.
    package static func use<Result>(
        _ settings: TestbedSettings = TestbedSettings(), keepsFolder: () -> Bool = { false },
        _ body: (Testbed) async throws -> Result
    ) async throws -> Result {
        let testbed = try Testbed(settings)
        do {
            try await testbed.furnish()
            let result = try await body(testbed)
            try await testbed.leave()
            testbed.leaveFolder(isKept: keepsFolder())
            return result
        } catch {
            testbed.endEverything()
            testbed.leaveFolder(isKept: error as? LoadError != .interrupted)
            throw error
        }
    }

    private func leaveFolder(isKept: Bool) {
        if isKept { Terminal.remark("kept: \(folder.path)") } else { folder.remove() }
    }

    private func furnish() async throws {
        try await makeCertificates()
        account = try Account(json: try Folder.read(folder.file("certs/apns.json")), from: "certs/apns.json")
        try makeProviderKeys()
        if settings.gateway.external == nil { try await startGateway() }
        if settings.store == .postgresql {
            databaseServer = try DatabaseServer(below: folder.path)
            try databaseServer?.makeDatabase(Self.database)
        }
        try configure(settings)
    }

    private func configure(_ settings: TestbedSettings) throws(LoadError) {
        let place =
            databaseServer.map { TestbedSettings.place(server: $0.folder, instanceFolder: "var") }
            ?? TestbedSettings.placeInAFile
        try folder.write(
            settings.configuration(ports: ports, authority: folder.file("certs/ca.pem"), place: place),
            to: "serverConf.xml")
    }

    /// Writes serverConf.xml with changed settings. A running engine reads the file after `reload`.
    package func reconfigure(_ change: (inout TestbedSettings) -> Void) throws(LoadError) {
        var settings = settings
        change(&settings)
        try configure(settings)
    }

    /// Provides the certificates. All testbeds of this process use the same set, because creating the keys
    /// takes longer than creating the rest of a testbed.
    private func makeCertificates() async throws {
        if let certificates = settings.gateway.external?.certificates {
            try folder.make("certs")
            for name in Folder.names(in: certificates) {
                try folder.write(try Folder.read("\(certificates)/\(name)"), to: "certs/\(name)")
            }
            return
        }
        let kept = Self.certificates.withLock(\.self)
        guard kept.isEmpty else {
            try folder.make("certs")
            for (name, bytes) in kept { try folder.write(bytes, to: "certs/\(name)") }
            return
        }
        let certs = folder.file("certs")
        try await succeed(programs.pushsink, ["certs", certs])
        var made: [String: [UInt8]] = [:]
        for name in Folder.names(in: certs) { made[name] = try Folder.read("\(certs)/\(name)") }
        Self.certificates.withLock { [made] in $0 = made }
    }

    /// Ends the testbed in order, and checks that no process is left and that the engine logged no unexpected
    /// error.
    private func leave() async throws {
        try await engine?.endIfRunning()
        try await sink?.endIfRunning()
        try await leaveHosts()
        try databaseServer?.stop()
        for process in processes where process.isRunning {
            throw Self.leftBehind([(process.processID, process.name)])
        }
        // Children outlive a master for a moment, until they detect that their link is closed.
        do {
            try await Waiting.until("all processes to close the files of the folder", within: .seconds(20)) {
                strangers.isEmpty ? () : nil
            }
        } catch { throw Self.leftBehind(strangers) }
        let complaints = engineComplaints
        guard complaints.isEmpty else {
            throw LoadError("the engine logged an unexpected line: \(complaints[0])")
        }
        caretaker.dismiss()
        try await caretaker.end()
    }

    private static func leftBehind(_ processes: [(processID: Int32, name: String)]) -> LoadError {
        let names = processes.map { "\($0.name) (process \($0.processID))" }
        return LoadError("processes are still running: \(names.joined(separator: ", "))")
    }

    /// The processes, other than this one and the caretaker, that still have open files in the testbed's
    /// folder.
    private var strangers: [(processID: Int32, name: String)] {
        ProcessTable.holding(folder.path).filter { $0.processID != caretaker.processID }
    }

    /// The lines at level error or worse in the engine's logs that the scenario does not expect.
    package var engineComplaints: [String] {
        engineLogs.flatMap { Folder.lines(of: $0) }.filter { line in
            (line.contains(" level=error ") || line.contains(" level=critical "))
                && !expectedComplaints.contains { line.contains($0) }
        }
    }

    /// Ends everything without checks. Used if the testbed did not end in order.
    private func endEverything() {
        for process in processes { process.killAndReap() }
        for host in hosts { host.proxy.end() }
        caretaker.killAndReap()
        try? databaseServer?.stop(.immediate)
        // Children end when their link closes. Children that do not end are killed, so that no process is
        // left.
        for (processID, _) in ProcessTable.holding(folder.path) { Glibc.kill(processID, SIGKILL) }
    }

    // MARK: Processes

    /// Starts a process that does not outlive the testbed. The outputs of the process are kept in the
    /// testbed's folder.
    package func start(
        _ executable: String, _ arguments: [String], log: String? = nil
    ) throws(LoadError) -> RunningProcess {
        startedCount += 1
        let program = executable.fileName
        let name = ([program] + arguments.filter { !$0.hasPrefix("/") }.prefix(2)).joined(separator: " ")
        let base = folder.file("logs/\(startedCount)-\(program)")
        let process = try RunningProcess(
            executable, arguments, name: name, output: base + ".out", complaints: log ?? base + ".err")
        processes.append(process)
        return process
    }

    func forget(_ process: RunningProcess) { processes.removeAll { $0 === process } }
}
