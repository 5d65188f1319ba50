internal import Glibc

/// Several hosts on the testbed's database. Whoever operates them reaches it past their networks, as from a machine of
/// their own on which nothing is sent.
extension Testbed {
    /// Makes them, and starts none. The store must be PostgreSQL's, and have its key.
    /// - Parameter others: how the gateways behave of all hosts but the first; nil: as its own.
    package func makeHosts(_ count: Int, others: TestbedSettings.Gateway? = nil) async throws {
        guard let databaseServer else { throw LoadError(.wrong("a store in a file has one host")) }
        let key = try Folder.read(folder.file("var/instance.key"))
        for number in 1...count {
            let ports = number == 1 ? self.ports : try GatewayPorts()
            let process =
                if number == 1, let sink { sink } else {
                    try await launchGateway(others ?? settings.gateway, at: ports)
                }
            guard gatewayLogs.count == number else {
                throw LoadError(.wrong("hosts are made while no gateway has run but the first, with its log"))
            }
            let (own, id) = ("var\(number)", "testbed_host_\(number)")
            try folder.make(own)
            try Folder.write(key, to: folder.file("\(own)/instance.key"))
            try folder.write("\(id)\n", to: "\(own)/pushmta")
            let proxy = try DatabaseProxy(to: "\(databaseServer.folder)/.s.PGSQL.5432")
            try folder.write(
                settings.configuration(
                    ports: ports, authority: folder.file("certs/ca.pem"),
                    place: TestbedSettings.place(server: "127.0.0.1:\(proxy.port)", instanceFolder: own)),
                to: "serverConf-\(number).xml")
            hosts.append(
                TestbedHost(
                    number, id: id, configuration: folder.file("serverConf-\(number).xml"), proxy: proxy,
                    gateway: (
                        process, gatewayLogs[number - 1],
                        settings.gateway.fcm == nil ? nil : fcmLogs[number - 1]
                    )))
        }
    }

    /// `pushmta run` of a host, in the background.
    package func launch(_ host: TestbedHost) throws(LoadError) {
        let log = folder.file("host-\(host.number)-\(host.logs.count + 1).log")
        host.process = try start(
            host.program ?? programs.pushmta, ["--config", host.configuration, "run"] + takeOverOptions,
            log: log)
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
    package func end(_ host: TestbedHost) async throws {
        guard let process = host.process, process.isRunning else { return }
        process.signal(SIGTERM)
        try await process.endInOrder()
    }

    func leaveHosts() async throws {
        for host in hosts {
            try await end(host)
            if host.gateway.isRunning { try await end(gateway: host.gateway) }
        }
        while let host = hosts.popLast() { host.proxy.end() }
    }

    /// Ends the gateways of all hosts, whose logs are whole then.
    package func stopGateways() async throws {
        for host in hosts where host.gateway.isRunning { try await end(gateway: host.gateway) }
    }
}
