import Testing
import pushload

/// Helpers that only the scenarios about trouble need.
extension Testbed {
    /// Changes serverConf.xml, either before the engine starts or between two starts.
    func reconfigure(_ present: String, to wanted: String) throws {
        let file = folder.file("serverConf.xml")
        let text = Folder.text(file)
        let pieces = text.split(separator: present, omittingEmptySubsequences: false)
        guard pieces.count == 2 else {
            throw LoadError("\(present) occurs \(pieces.count - 1) times in serverConf.xml")
        }
        try folder.write(pieces.joined(separator: wanted), to: "serverConf.xml")
    }

    /// Starts the engine again and waits until the delivery ends. Expects that every device is reached, and
    /// that only messages that children had are sent twice.
    func expectResumed(
        _ delivery: Int, reaching count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await startEngine()
        try await settle(delivery)
        try await stopEngine()
        let audit = try await audit(of: delivery)
        #expect(audit.withoutRepeats == .everyoneOnce(count), sourceLocation: sourceLocation)
        #expect(audit.doubled <= settings.capacity * settings.children, sourceLocation: sourceLocation)
    }

    /// Adds an element to `nmac`.
    func addSettings(_ element: String) throws { try reconfigure("</nmac>", to: "\(element)</nmac>") }

    /// Submits a document with its own retry calendar.
    func submit(_ document: DeliveryText, retry: String) async throws -> Int {
        let file = try prepare(document)
        let text = Folder.text(file)
        let pieces = text.split(separator: #""target":"#, omittingEmptySubsequences: false)
        try folder.write(pieces.joined(separator: #""retry": \#(retry), "target":"#), to: "delivery.json")
        let result = try await succeed(["delivery", "submit", file])
        guard let id = result.output.split(separator: "\n").first.flatMap({ Int($0) }) else {
            throw LoadError("delivery submit printed no number but '\(result.output)'")
        }
        return id
    }

    /// Returns the lines of the engine's log that contain this text.
    func logLines(_ words: String) -> [Substring] {
        engineLog.split(separator: "\n").filter { $0.contains(words) }
    }

    /// Waits for an account in this state, as shown by `status`.
    @discardableResult
    func account(in state: String) async throws -> StatusReport.Account {
        var last = ""
        return try await master("an account to be \(state)", seen: { last }) {
            last = $0.accounts.map { "\($0.name): \($0.state) \($0.reason)" }.joined(separator: ", ")
            return $0.accounts.first { $0.state == state }
        }
    }

    /// Waits for a topic that the gateway refuses and for which messages wait.
    func refusedTopic() async throws -> StatusReport.Topic {
        try await master("a topic to be refused", seen: { "" }) { status in
            status.accounts.flatMap(\.topics).first { $0.waitingRanges > 0 }
        }
    }

    /// Returns the audit of one delivery among several. Stops the gateway, because its log is complete only
    /// then.
    func audit(of delivery: Int, among deliveries: [Int]) async throws -> DeliveryAudit {
        if sink?.isRunning == true { try await stopGateway() }
        let requests = try gatewayRequests().filter { request in
            deliveries.allSatisfy { $0 == delivery || !request.body.contains(#""_dId":"\#($0)""#) }
        }
        return DeliveryAudit(
            report: try await show(delivery), log: try await messageLog(delivery), requests: requests)
    }

    /// Returns options that name a .p8 key for the account. The gateway has never received a token signed
    /// with this key.
    func strangeKey() throws -> [String] {
        try folder.write(
            """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2
            OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r
            1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G
            -----END PRIVATE KEY-----

            """, to: "strange.p8")
        return ["--p8", folder.file("strange.p8"), "--key-id", account.keyID, "--team-id", account.teamID]
    }

    /// The options that name the account's own key.
    var ownKey: [String] {
        let file = folder.file("certs/AuthKey_\(account.keyID).p8")
        return ["--p8", file, "--key-id", account.keyID, "--team-id", account.teamID]
    }

    /// Creates an iOS app with a credential and a topic that the scenario chooses.
    func createApp(_ name: String, _ credential: [String], bundleID: String) async throws {
        try await succeed(
            [
                "app", "create", name, "--service", Testbed.service, "--platform", "ios", "--integration-key",
                name,
                "--connector", "iosHTTP2", "--environment", "production", "--bundle-id", bundleID,
            ] + credential)
    }
}
