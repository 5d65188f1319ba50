internal import Glibc

/// The synthetic gateway of a testbed.
extension Testbed {
    /// Starts one; each has the testbed's ports, so that the engine finds it where it was.
    /// - Parameter other: behaves so, and not as the settings say.
    package func startGateway(_ other: TestbedSettings.Gateway? = nil) async throws {
        sink = try await launchGateway(other ?? settings.gateway, at: ports)
    }

    /// Starts one and waits until it listens.
    func launchGateway(
        _ gateway: TestbedSettings.Gateway, at ports: GatewayPorts
    ) async throws -> RunningProcess {
        let number = gatewaySummaries.count + 1
        let log = folder.file("gateway-\(number).log")
        let summary = folder.file("gateway-\(number).json")
        var arguments = [
            "run", "--certs", folder.file("certs"), "--apns-port", "\(ports.apns)", "--summary", summary,
            "--max-streams", "\(gateway.streams)", "--delay-ms", "\(gateway.delayMilliseconds)",
        ]
        if !gateway.rules.isEmpty {
            try folder.write(gateway.rules, to: "rules.txt")
            arguments += ["--rules", folder.file("rules.txt")]
        }
        if gateway.keepsLog { arguments += ["--log", log] }
        arguments += gateway.stopsAfter.flatMap { ["--stop-after", "\($0)"] }
        if let topics = gateway.topics { arguments += ["--topics", topics] }
        if gateway.isFast { arguments.append("--fast") }
        if gateway.countsSeconds { arguments.append("--by-second") }
        if gateway.requiresClientCertificate { arguments.append("--require-client-certificate") }
        if let fcm = gateway.fcm {
            arguments += try options(of: fcm, at: ports)
            let log = folder.file("fcm-\(number).log")
            if gateway.keepsLog {
                arguments += ["--fcm-log", log]
                fcmLogs.append(log)
            }
        }
        if let binary = gateway.binary {
            arguments += try options(of: binary, at: ports)
            let log = folder.file("binary-\(number).log")
            if gateway.keepsLog {
                arguments += ["--binary-log", log]
                binaryLogs.append(log)
            }
        }
        if let randomFaults = gateway.randomFaults { arguments += Self.options(of: randomFaults) }
        let process = try start(programs.pushsink, arguments)
        // The sink names APNs last: when that is there, all are.
        try await Waiting.until("the gateway to listen") {
            try process.requireRunning()
            let lines = Folder.text(process.output).split(separator: "\n")
            return lines.contains { $0.hasPrefix("apns ") && $0.last?.isNumber == true } ? () : nil
        }
        if gateway.keepsLog { gatewayLogs.append(log) }
        gatewaySummaries.append(summary)
        return process
    }

    private func options(
        of fcm: TestbedSettings.Gateway.FCM, at ports: GatewayPorts
    ) throws(LoadError) -> [String] {
        var arguments = [
            "--fcm-port", "\(ports.fcm)", "--oauth-port", "\(ports.oauth)", "--fcm-max-streams",
            "\(fcm.streams)",
            "--fcm-delay-ms", "\(fcm.delayMilliseconds)", "--oauth-expires-s", "\(fcm.tokenSeconds)",
        ]
        let books = [("--fcm-rules", fcm.rules), ("--oauth-rules", fcm.oauthRules)]
        for (option, rules) in books where !rules.isEmpty {
            let file = "\(option.dropFirst(2)).txt"
            try folder.write(rules, to: file)
            arguments += [option, folder.file(file)]
        }
        return arguments
    }

    private func options(
        of binary: TestbedSettings.Gateway.Binary, at ports: GatewayPorts
    ) throws(LoadError) -> [String] {
        var arguments = [
            "--binary-port", "\(ports.binary)", "--feedback-port", "\(ports.feedback)", "--feedback",
            feedbackFile,
        ]
        if !binary.rules.isEmpty {
            try folder.write(binary.rules, to: "binary-rules.txt")
            arguments += ["--binary-rules", folder.file("binary-rules.txt")]
        }
        return arguments
    }

    private static func options(of randomFaults: TestbedSettings.Gateway.RandomFaults) -> [String] {
        [
            "--random-faults", "\(randomFaults.seed)", "--fault-every", "\(randomFaults.every)",
            "--fault-silence-ms", "\(randomFaults.silenceMilliseconds)",
        ]
            + (randomFaults.faults.map { ["--fault-kinds", $0] } ?? [])
            + (randomFaults.count.map { ["--fault-count", "\($0)"] } ?? [])
    }

    /// Ends the gateway as an operator would; its log and summary are whole then.
    package func stopGateway() async throws {
        if let sink { try await end(gateway: sink) }
    }

    func end(gateway process: RunningProcess) async throws {
        process.signal(SIGTERM)
        try await process.endInOrder()
    }

    /// What all gateways of this testbed counted, up to the last that was stopped.
    package func gatewaySummary() throws -> GatewaySummary {
        var sum = GatewaySummary()
        for file in gatewaySummaries {
            sum += try GatewaySummary(json: try Folder.read(file), from: file)
        }
        return sum
    }

    /// Every request that ended at a gateway of this testbed, those of APNs first; the gateway must have been
    /// stopped.
    package func gatewayRequests() throws -> [GatewayRequest] {
        try (gatewayLogs + fcmLogs + binaryLogs).flatMap { try GatewayRequest.read($0) }
    }
}
