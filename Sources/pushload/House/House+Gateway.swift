internal import FoundationEssentials
internal import Glibc

/// The synthetic gateway of a house.
extension House {
    /// Starts one; a later one takes the port of the first, so that the engine finds it where it was.
    package func startGateway() async throws {
        let number = gatewayLogs.count + 1
        let log = folder.file("gateway-\(number).log")
        let summary = folder.file("gateway-\(number).json")
        let gateway = settings.gateway
        var arguments = [
            "run", "--certs", folder.file("certs"), "--apns-port", "\(gatewayPort)", "--summary", summary,
            "--max-streams", "\(gateway.streams)", "--delay-ms", "\(gateway.delayMilliseconds)",
        ]
        if !gateway.rules.isEmpty {
            try folder.write(gateway.rules, to: "rules.txt")
            arguments += ["--rules", folder.file("rules.txt")]
        }
        if gateway.keepsLog { arguments += ["--log", log] }
        if gateway.isFast { arguments.append("--fast") }
        if gateway.requiresClientCertificate { arguments.append("--require-client-certificate") }
        let process = try start(programs.pushsink, arguments)
        sink = process
        gatewayPort = try await Waiting.until("the gateway to listen", within: .seconds(20)) {
            try requireRunning(process)
            for line in Folder.text(process.output).split(separator: "\n") where line.hasPrefix("apns ") {
                return line.split(separator: ":").last.flatMap { Int($0) }
            }
            return nil
        }
        if gateway.keepsLog { gatewayLogs.append(log) }
        gatewaySummaries.append(summary)
    }

    /// Ends the gateway as an operator would; its log and summary are whole then.
    package func stopGateway() async throws {
        guard let process = sink else { return }
        process.signal(SIGTERM)
        let ending = try await process.end(within: .seconds(30))
        guard ending.status == 0 else {
            throw LoadError(
                .ended(program: process.name, status: "\(ending)", said: Folder.lastLines(of: process.complaints)))
        }
    }

    /// What all gateways of this house counted, up to the last that was stopped.
    package func gatewaySummary() throws -> GatewaySummary {
        var sum = GatewaySummary()
        for file in gatewaySummaries {
            sum += try JSONDecoder().decode(GatewaySummary.self, from: Data(try Folder.read(file)))
        }
        return sum
    }

    /// Every request that ended at a gateway of this house, in their order; the gateway must have been stopped.
    package func gatewayRequests() throws -> [GatewayRequest] {
        try gatewayLogs.flatMap { try GatewayRequest.read(log: $0) }
    }

    func requireRunning(_ process: RunningProcess) throws {
        guard !process.isRunning, let ending = process.ending else { return }
        throw LoadError(
            .ended(program: process.name, status: "\(ending)", said: Folder.lastLines(of: process.complaints)))
    }
}
