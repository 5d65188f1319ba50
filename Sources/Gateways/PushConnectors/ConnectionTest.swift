internal import GatewayKit
package import PushModel
internal import PushSystem
internal import PushTransport
package import PushWire

/// The result of testing an app's connection settings.
package struct ConnectionTestResult: Equatable, Sendable {
    package let succeeded: Bool
    /// The test's actions and the gateway's answers, one line each.
    package let lines: [String]
}

/// Opens a connection with an app's credential and reports the gateway's answer, for `app test`.
///
/// APNs has no call that only checks a credential, so the test sends a push to a token that no device has. If
/// the gateway reports the token as bad, it has accepted the credential and the topic. No device receives a
/// notification. The test asks FCM only to validate the message. If the binary gateway does not answer at
/// all, the test has succeeded.
package enum ConnectionTest {
    /// The maximum duration of a test, in seconds. It is longer than the connect and request time-outs
    /// combined.
    private static let patienceSeconds: Int64 = 60

    package static func run(
        settings: AppSettings, credential: OpaqueCredential?, gateway: GatewayOrder
    ) -> ConnectionTestResult {
        guard settings.connector != .stub else {
            return ConnectionTestResult(
                succeeded: true, lines: ["the stub connector has no gateway: there is nothing to test"])
        }
        let recorder = EventRecorder(settings)
        do {
            let gateway = try ConnectorCatalogue.entry(settings.connector)?.testing(gateway) ?? gateway
            let order = AccountOrder(
                account: .only, connector: settings.connector, environment: settings.environment,
                credential: credential ?? OpaqueCredential(bytes: []), gateway: gateway)
            let loop = try TransportLoop()
            let connector = try ConnectorCatalogue.make(for: order, loop: loop, events: recorder)
            let grant = try probe(settings, on: connector)
            let start = loop.now
            var isSubmitted = false
            while recorder.verdict == nil, loop.now - start < patienceSeconds * 1_000_000_000 {
                if connector.credit == 0, !isSubmitted { connector.wake() }
                if connector.credit > 0, !isSubmitted {
                    var run = GrantRun(of: grant, at: 0, from: GrantFrame.firstEntry, atMost: 1)
                    isSubmitted = connector.submit(&run) == .taken
                    connector.flush()
                }
                _ = try loop.wait(atMostMilliseconds: 100)
            }
            connector.close()
        } catch {
            recorder.lines.append("\(error)")
            recorder.verdict = false
        }
        if recorder.verdict == nil { recorder.lines.append("no answer within \(patienceSeconds) s") }
        return ConnectionTestResult(succeeded: recorder.verdict ?? false, lines: recorder.lines)
    }

    /// Returns a grant that contains one message to a token that no device has. For iOS, the token is 64
    /// zeros, which Apple never assigns; for Android, it is a text.
    private static func probe(_ settings: AppSettings, on connector: any Connector) throws -> GrantFrame {
        var content = Content()
        content.title = "Connection test"
        ConnectorCatalogue.speaking(for: settings)?.content.validating(&content)
        try connector.admit(
            JobOrder(
                job: .only, account: .only, delivery: DeliveryID(rawValue: 0), platform: settings.platform,
                bundleID: settings.bundleID, messageIDFormat: settings.messageIDFormat, tracking: false,
                expiresAt: Clocks.wall().advanced(bySeconds: 60), variables: [],
                contentJSON: ConnectorCatalogue.contents.encode(content)))
        var builder = GrantFrameBuilder(grant: .only, job: .only, expectedMessages: 1)
        let token = Array(
            (settings.platform == .ios ? String(repeating: "0", count: 64) : "connection-test").utf8)
        builder.append(
            MessageID(rawValue: 1), id: OpaqueID(high: 0, low: 0), integerID: 1, attempts: 0,
            token: token.span,
            parameters: [UInt8]().span)
        var decoder = FrameDecoder()
        decoder.feed(builder.finish())
        guard let frame = try decoder.next() else {
            throw ConnectorError("the test message could not be built; please report this")
        }
        return try GrantFrame(frame)
    }

    /// Receives the events of one connector and derives the result.
    private final class EventRecorder: ConnectorEvents {
        let platform: Platform
        let entry: ConnectorEntry?
        /// What the test proves to be correct if the gateway refuses only the test token, such as the
        /// credential.
        let subject: String
        /// Whether the gateway's silence means success.
        let acceptsSilence: Bool
        var lines: [String] = []
        var verdict: Bool?
        init(_ settings: AppSettings) {
            platform = settings.platform
            let entry = ConnectorCatalogue.entry(settings.connector)
            self.entry = entry
            subject = entry?.testSubject ?? "the credential"
            acceptsSilence = settings.connector == .ios
        }

        /// The last line that explains a reason: its index, its text without the reason's meaning, and the
        /// reason.
        private var explained: (line: Int, text: String, reason: String)?

        /// Adds a line that contains a text, a reason and the meaning of the reason. If the gateway refuses
        /// the account, the test message ends with the same reason, so a second line reports the reason
        /// again. Only the second line then contains the meaning.
        private func explain(_ text: String, _ reason: String) {
            if let explained, explained.reason == reason { lines[explained.line] = explained.text }
            explained = (lines.count, text + reason, reason)
            lines.append((text + reason).followed(by: entry?.answer(to: reason)?.explanation(of: reason)))
        }

        /// FCM reports an invalid token as an invalid argument, with or without details.
        private func isAboutTheTest(_ verdict: Verdict) -> Bool {
            verdict.scope == .token && verdict.schedule != .soon
                || platform == .android && verdict.scope == .message && !verdict.mayWiden
        }

        func accepted(tag: UInt64) {
            lines.append(
                acceptsSilence
                    ? """
                    the gateway accepted the connection and did not report an error, which is this \
                    protocol's confirmation
                    """
                    : "the gateway accepted a push to the test token")
            verdict = true
        }

        func ended(tag: UInt64, _ outcome: Outcome) {
            switch outcome {
            case .accepted: accepted(tag: tag)
            case .rejected(let verdict, let reason) where isAboutTheTest(verdict):
                lines.append(
                    "the gateway accepts \(subject) (it reports \(reason) for the test token, as expected)")
                self.verdict = true
            case .rejected(_, let reason):
                explain("the gateway refused: ", reason)
                verdict = false
            case .undecided(_, let reason), .neverSent(_, let reason):
                explain("no answer: ", reason)
                verdict = false
            case .tooLarge, .missing: verdict = false
            }
        }

        func busy(_ account: AccountID, seconds: Int32, reason: String, tag: UInt64?) {
            // If an answer has already ended the test, the pause is not reported.
            if verdict == nil { fail("the gateway requests a pause of \(seconds) s: ", reason) }
        }

        func unreachable(_ account: AccountID, _ verdict: Verdict, reason: String) { fail("", reason) }
        func refused(_ account: AccountID, _ verdict: Verdict, reason: String) { fail("", reason) }
        func connected(_ account: AccountID, to text: String) { lines.append("connected to \(text)") }
        func disconnected(_ account: AccountID, because text: String) {
            lines.append("disconnected: \(text)")
        }

        private func fail(_ text: String, _ reason: String) {
            explain(text, reason)
            verdict = false
        }
    }
}
