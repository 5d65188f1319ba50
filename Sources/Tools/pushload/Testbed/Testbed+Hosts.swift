/// One of several hosts on a testbed's database: an instance folder, a way to the database that can be cut, and a
/// gateway of its own, so that the log that has a request says which host sent it.
package final class TestbedHost {
    /// From 1.
    package let number: Int
    package let proxy: DatabaseProxy
    /// Its serverConf.xml.
    let configuration: String
    let gateway: RunningProcess
    let gatewayLogs: [String]

    /// What it is started with; nil: the program that the testbed asks, too.
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

    /// As the store has it.
    package var id: String { "testbed_host_\(number)" }

    package var log: String { logs.map { Folder.text($0) }.joined() }

    /// Every request of this host that ended at its gateway, which must have been stopped.
    package func requests() throws -> [GatewayRequest] {
        try gatewayLogs.flatMap { try GatewayRequest.read($0) }
    }
}

/// Several hosts on the testbed's database. Whoever operates them reaches it past their networks, as from a machine of
/// their own on which nothing is sent.
extension Testbed {
    /// Makes them, and starts none. The store must be PostgreSQL's, and have its key.
    /// - Parameter others: how the gateways behave of all hosts but the first; nil: as its own.
    package func makeHosts(_ count: Int, others: TestbedSettings.Gateway? = nil) async throws {
        guard let databaseServer else { throw LoadError("a store in a file has one host") }
        for number in 1...count {
            let ports = number == 1 ? self.ports : try GatewayPorts()
            let process =
                if number == 1, let sink { sink } else {
                    try await launchGateway(others ?? settings.gateway, at: ports)
                }
            guard gatewayLogs.count == number, let log = gatewayLogs.last else {
                throw LoadError("hosts are made while no gateway has run but the first, with its log")
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

    /// With the store's key.
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

    /// `pushmta run` of a host, in the background.
    package func launch(_ host: TestbedHost) throws(LoadError) {
        let log = folder.file("host-\(host.number)-\(host.logs.count + 1).log")
        host.process = try run(host.program, host.configuration, log: log)
        host.logs.append(log)
        engineLogs.append(log)
    }

    /// Starts them all, and waits until all send.
    package func launchHosts() async throws {
        for host in hosts { try launch(host) }
        try await Waiting.until("all hosts to send", longestNap: Waiting.longestNapBetweenCommands) {
            let states = try databaseServer?.query("SELECT state FROM host", in: Self.database)
            return states?.count { $0 == "serving" || $0 == "sending" } == hosts.count ? () : nil
        }
    }

    /// What a host's master says of itself; nil: none runs.
    package func status(of host: TestbedHost) async throws -> StatusReport.Master? {
        // A master is understood by the program that it runs.
        try await status(["--config", host.configuration], by: host.program).master
    }

    /// SIGTERM.
    package func end(_ host: TestbedHost) async throws { try await host.process?.endIfRunning() }

    func leaveHosts() async throws {
        for host in hosts { try await end(host) }
        try await stopGateways()
        while let host = hosts.popLast() { host.proxy.end() }
    }

    /// Ends the gateways of all hosts, whose logs are whole then.
    package func stopGateways() async throws {
        for host in hosts { try await host.gateway.endIfRunning() }
    }
}

/// Hosts without networks or gateways of their own, from number 2 on: the first is the testbed's engine.
extension Testbed {
    /// Its configuration, with an instance folder of its own and the same key. It need not run: commands that are
    /// given it come from a machine without a master.
    package func makeHost(_ number: Int) throws -> String {
        let name = "serverConf-\(number).xml"
        guard !Folder.names(in: folder.path).contains(name) else { return folder.file(name) }
        let own = try makeInstanceFolder(number)
        var text = Folder.text(folder.file("serverConf.xml"))
        func replace(_ old: String, with new: String) {
            text = text.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
        }
        replace(#"instanceFolder="var""#, with: #"instanceFolder="\#(own)""#)
        // Two processes write neither one file nor listen at one port.
        replace(#"httpPort="\#(ports.web)""#, with: #"httpPort="0""#)
        if let log = settings.deliveryLog {
            replace(#"deliveryLog="\#(log)""#, with: #"deliveryLog="\#(deliveryLog(ofHost: number))""#)
        }
        try folder.write(text, to: name)
        return folder.file(name)
    }

    /// The name of a host's `mta/@deliveryLog`.
    func deliveryLog(ofHost number: Int) -> String {
        let log = settings.deliveryLog ?? ""
        return number == 1 ? log : "\(number)-\(log)"
    }

    /// `pushmta run` of another host. Commands go on asking the first.
    /// - Parameter executable: another file of the same program.
    /// - Returns: its process, and where its log is.
    package func launchHost(
        _ number: Int, _ executable: String? = nil
    ) throws -> (process: RunningProcess, log: String) {
        let log = folder.file("host-\(number).log")
        return (try run(executable, try makeHost(number), log: log), log)
    }

    /// A command by the configuration of another host, that must succeed.
    @discardableResult
    package func succeed(_ arguments: [String], onHost number: Int) async throws -> CommandResult {
        try await succeed(programs.pushmta, ["--config", try makeHost(number)] + arguments)
    }

    /// What `status` of another host says.
    package func status(ofHost number: Int) async throws -> StatusReport {
        try await status(["--config", try makeHost(number)])
    }

    /// Waits for this many hosts that send, as `host list` has it.
    package func waitForHosts(_ count: Int) async throws {
        try await Waiting.until("\(count) hosts to send") {
            try await listHosts().count { ["leading", "sending"].contains($0.state) } == count ? () : nil
        }
    }

    /// `host list`.
    package func listHosts() async throws -> [HostReport] { try await json("host", "list") }
}
