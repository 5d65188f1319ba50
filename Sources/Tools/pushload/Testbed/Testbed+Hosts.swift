/// One of several hosts on a testbed's database. It has its own instance folder, a connection to the database
/// that can be cut, and its own gateway, so that the log that contains a request shows which host sent it.
package final class TestbedHost {
    /// The number of the host, from 1 on.
    package let number: Int
    package let proxy: DatabaseProxy
    /// The path of the host's serverConf.xml.
    let configuration: String
    let gateway: RunningProcess
    let gatewayLogs: [String]

    /// The `pushmta` program that the host runs; `nil` for the program that also runs the testbed's commands.
    var program: String?
    /// The master that was started last.
    package internal(set) var process: RunningProcess?
    package internal(set) var logs: [String] = []

    init(
        _ number: Int, configuration: String, proxy: DatabaseProxy, gateway: RunningProcess, logs: [String]
    ) {
        (self.number, self.configuration, self.proxy) = (number, configuration, proxy)
        (self.gateway, gatewayLogs) = (gateway, logs)
    }

    /// The id of the host in the store.
    package var id: String { "testbed_host_\(number)" }

    package var log: String { logs.map { Folder.text($0) }.joined() }

    /// Returns every request of this host that ended at its gateway. The gateway must have been stopped.
    package func requests() throws -> [GatewayRequest] {
        try gatewayLogs.flatMap { try GatewayRequest.read($0) }
    }
}

/// Several hosts on the testbed's database. The operator's commands have their own connection to the
/// database, as if they ran on a separate machine that does not send.
extension Testbed {
    /// Creates the hosts without starting them. The store must be on PostgreSQL, and its instance key must
    /// exist.
    /// - Parameter others: The behaviour of the gateways of all hosts except the first; `nil` for the
    ///   behaviour of the first host's gateway.
    package func makeHosts(_ count: Int, others: TestbedSettings.Gateway? = nil) async throws {
        guard let databaseServer else { throw LoadError("several hosts require a store on PostgreSQL") }
        for number in 1...count {
            let ports = number == 1 ? self.ports : try GatewayPorts()
            let process =
                if number == 1, let sink { sink } else {
                    try await launchGateway(others ?? settings.gateway, at: ports)
                }
            guard gatewayLogs.count == number, let log = gatewayLogs.last else {
                throw LoadError(
                    "create the hosts before a second gateway is started; the first must keep a log")
            }
            let proxy = try DatabaseProxy(to: "\(databaseServer.folder)/.s.PGSQL.5432")
            let own = try makeInstanceFolder(number)
            let name = "serverConf-\(number).xml"
            try folder.write(
                settings.configuration(
                    ports: ports, authority: folder.file("certs/ca.pem"),
                    place: TestbedSettings.place(server: "127.0.0.1:\(proxy.port)", instanceFolder: own)),
                to: name)
            let host = TestbedHost(
                number, configuration: folder.file(name), proxy: proxy, gateway: process,
                logs: [log] + (settings.gateway.fcm == nil ? [] : [fcmLogs[number - 1]]))
            try folder.write("\(host.id)\n", to: "\(own)/pushmta")
            hosts.append(host)
        }
    }

    /// Creates an instance folder that contains the store's key.
    private func makeInstanceFolder(_ number: Int) throws(LoadError) -> String {
        let name = "var\(number)"
        try folder.make(name)
        try folder.write(try Folder.read(folder.file("var/instance.key")), to: "\(name)/instance.key")
        return name
    }

    private func run(
        _ program: String?, _ configuration: String, log: String
    ) throws(LoadError) -> RunningProcess {
        try start(
            program ?? programs.pushmta, ["--config", configuration, "run"] + takeOverOptions, log: log)
    }

    /// Starts `pushmta run` for a host in the background.
    package func launch(_ host: TestbedHost) throws(LoadError) {
        let log = folder.file("host-\(host.number)-\(host.logs.count + 1).log")
        host.process = try run(host.program, host.configuration, log: log)
        host.logs.append(log)
        engineLogs.append(log)
    }

    /// Starts all hosts and waits until all of them send.
    package func launchHosts() async throws {
        for host in hosts { try launch(host) }
        try await Waiting.until("all hosts to send", maxPollInterval: Waiting.maxCommandInterval) {
            let states = try databaseServer?.query("SELECT state FROM host", in: Self.database)
            return states?.count { $0 == "serving" || $0 == "sending" } == hosts.count ? () : nil
        }
    }

    /// Returns the status that a host's master reports; `nil` if no master is running.
    package func status(of host: TestbedHost) async throws -> StatusReport.Master? {
        // The command uses the host's own program, because only that program is certain to understand the
        // master's answer.
        try await status(["--config", host.configuration], by: host.program).master
    }

    /// Ends a host with SIGTERM.
    package func end(_ host: TestbedHost) async throws { try await host.process?.endIfRunning() }

    func leaveHosts() async throws {
        for host in hosts { try await end(host) }
        try await stopGateways()
        while let host = hosts.popLast() { host.proxy.end() }
    }

    /// Ends the gateways of all hosts. The gateways' logs are complete afterwards.
    package func stopGateways() async throws {
        for host in hosts { try await host.gateway.endIfRunning() }
    }
}

/// Hosts without separate networks or gateways. Their numbers begin with 2. The first host is the testbed's
/// engine.
extension Testbed {
    /// Returns the path of the configuration of a host. The host has its own instance folder, with the same
    /// key as the testbed's engine. If the host is not running, commands with this configuration act as on a
    /// machine without a master.
    package func makeHost(_ number: Int) throws -> String {
        let name = "serverConf-\(number).xml"
        guard !Folder.names(in: folder.path).contains(name) else { return folder.file(name) }
        let own = try makeInstanceFolder(number)
        var text = Folder.text(folder.file("serverConf.xml"))
        func replace(_ old: String, with new: String) {
            text = text.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
        }
        replace(#"instanceFolder="var""#, with: #"instanceFolder="\#(own)""#)
        // The log file and the port must differ, because two processes cannot write the same file or listen
        // on the same port.
        replace(#"httpPort="\#(ports.web)""#, with: #"httpPort="0""#)
        if let log = settings.deliveryLog {
            replace(#"deliveryLog="\#(log)""#, with: #"deliveryLog="\#(deliveryLog(ofHost: number))""#)
        }
        try folder.write(text, to: name)
        return folder.file(name)
    }

    /// Returns the name of a host's `mta/@deliveryLog`.
    func deliveryLog(ofHost number: Int) -> String {
        let log = settings.deliveryLog ?? ""
        return number == 1 ? log : "\(number)-\(log)"
    }

    /// Starts `pushmta run` for another host. Commands continue to address the first host.
    /// - Parameter executable: Another copy of the program's file; `nil` for the usual file.
    /// - Returns: The host's process and the path of its log.
    package func launchHost(
        _ number: Int, _ executable: String? = nil
    ) throws -> (process: RunningProcess, log: String) {
        let log = folder.file("host-\(number).log")
        return (try run(executable, try makeHost(number), log: log), log)
    }

    /// Runs a command, which must succeed, with the configuration of another host.
    @discardableResult
    package func succeed(_ arguments: [String], onHost number: Int) async throws -> CommandResult {
        try await succeed(programs.pushmta, ["--config", try makeHost(number)] + arguments)
    }

    /// Returns the `status` of another host.
    package func status(ofHost number: Int) async throws -> StatusReport {
        try await status(["--config", try makeHost(number)])
    }

    /// Waits until the given number of hosts are sending, according to `host list`.
    package func waitForHosts(_ count: Int) async throws {
        try await Waiting.until("\(count) hosts to send") {
            try await listHosts().count { ["leading", "sending"].contains($0.state) } == count ? () : nil
        }
    }

    /// Returns the result of `host list`.
    package func listHosts() async throws -> [HostReport] { try await json("host", "list") }
}
