/// The synthetic gateway of a testbed.
extension Testbed {
    /// Starts a gateway. All gateways use the testbed's ports, so that the engine finds each of them at the
    /// same address.
    /// - Parameter other: The gateway's behaviour, in place of the behaviour in the settings.
    package func startGateway(_ other: TestbedSettings.Gateway? = nil) async throws {
        sink = try await launchGateway(other ?? settings.gateway, at: ports)
    }

    /// Starts a gateway and waits until it listens.
    func launchGateway(
        _ gateway: TestbedSettings.Gateway, at ports: GatewayPorts
    ) async throws -> RunningProcess {
        let summary = folder.file("gateway-\(gatewaySummaries.count + 1).json")
        let process = try start(
            programs.pushsink,
            ["run", "--certs", folder.file("certs"), "--summary", summary] + options(of: gateway, at: ports))
        // The sink reports APNs last. When this line appears, all gateways are listening.
        try await Waiting.until("the gateway to listen") {
            try process.requireRunning()
            let lines = Folder.lines(of: process.output)
            return lines.contains { $0.hasPrefix("apns ") && $0.last?.isNumber == true } ? () : nil
        }
        gatewaySummaries.append(summary)
        return process
    }

    /// Returns the options of a gateway. Also writes the files that the options name, and records the paths
    /// of the logs.
    private func options(
        of gateway: TestbedSettings.Gateway, at ports: GatewayPorts
    ) throws(LoadError) -> [String] {
        let number = gatewaySummaries.count + 1
        var arguments: [String] = []
        func add(_ option: String, _ value: Any?) {
            if let value { arguments += ["--\(option)", "\(value)"] }
        }
        func add(_ option: String, if isSet: Bool) { if isSet { arguments.append("--\(option)") } }
        func add(_ option: String, rules: String) throws(LoadError) {
            guard !rules.isEmpty else { return }
            try folder.write(rules, to: "\(option).txt")
            add(option, folder.file("\(option).txt"))
        }
        func add(_ option: String, log name: String, in logs: ReferenceWritableKeyPath<Testbed, [String]>) {
            guard gateway.keepsLog else { return }
            self[keyPath: logs].append(folder.file("\(name)-\(number).log"))
            add(option, folder.file("\(name)-\(number).log"))
        }
        add("apns-port", ports.apns)
        add("max-streams", gateway.streams)
        add("delay-ms", gateway.delayMilliseconds)
        try add("rules", rules: gateway.rules)
        add("log", log: "gateway", in: \.gatewayLogs)
        for count in gateway.stopsAfter { add("stop-after", count) }
        add("topics", gateway.topics)
        add("fast", if: gateway.isFast)
        add("by-second", if: gateway.countsSeconds)
        add("require-client-certificate", if: gateway.requiresClientCertificate)
        if let fcm = gateway.fcm {
            add("fcm-port", ports.fcm)
            add("oauth-port", ports.oauth)
            add("fcm-max-streams", fcm.streams)
            add("fcm-delay-ms", fcm.delayMilliseconds)
            add("oauth-expires-s", fcm.tokenSeconds)
            try add("fcm-rules", rules: fcm.rules)
            try add("oauth-rules", rules: fcm.oauthRules)
            add("fcm-log", log: "fcm", in: \.fcmLogs)
        }
        if let binary = gateway.binary {
            add("binary-port", ports.binary)
            add("feedback-port", ports.feedback)
            add("feedback", feedbackFile)
            try add("binary-rules", rules: binary.rules)
            add("binary-log", log: "binary", in: \.binaryLogs)
        }
        if let randomFaults = gateway.randomFaults {
            add("random-faults", randomFaults.seed)
            add("fault-every", randomFaults.every)
            add("fault-silence-ms", randomFaults.silenceMilliseconds)
            add("fault-kinds", randomFaults.faults)
            add("fault-count", randomFaults.count)
        }
        return arguments
    }

    /// Ends the gateway as an operator would. Its log and summary are complete afterwards.
    package func stopGateway() async throws { try await sink?.endByRequest() }

    /// Returns the sum of the counts of all gateways of this testbed. The gateways must have been stopped.
    package func gatewaySummary() throws -> GatewaySummary {
        var sum = GatewaySummary()
        for file in gatewaySummaries { sum += try GatewaySummary(json: try Folder.read(file), from: file) }
        return sum
    }

    /// Returns every request that ended at the gateways, beginning with the requests to APNs. The gateways
    /// must have been stopped.
    package func gatewayRequests() throws -> [GatewayRequest] {
        try (gatewayLogs + fcmLogs + binaryLogs).flatMap { try GatewayRequest.read($0) }
    }
}
