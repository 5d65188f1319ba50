import PushAPI
import PushConfig
import PushModel
import PushWire
import Testing
import pushmta

/// Tests that texts about accounts explain the gateway's answer.
@Suite struct GatewayAnswerTextTests {
    private struct Unreadable: Error {}

    /// Returns the lines of `status` about an account.
    private func lines(
        _ state: String, _ reason: String, connector: String = "iosHTTP2",
        topics: [AccountStatus.Topic] = [], alarms: [MasterStatus.Alarm] = []
    ) -> [String] {
        let account = AccountStatus(
            name: "\(connector) production token:KEY", mark: "\(connector) production token:KEY #1",
            apps: ["shop-ios"], state: state, reason: reason, secondsUntilProbe: 5, outstanding: 0,
            inFlight: 0, window: 0,
            connections: 0, ratePerSecond: nil, children: [], troubles: [], topics: topics)
        let master = MasterStatus(
            pid: 1, uptimeSeconds: 1, state: "running", unrecorded: 0, waitingRanges: 0, alarms: alarms,
            accounts: [account])
        return StatusView(of: master, ServerConfiguration(), unreadable: Unreadable()).lines
    }

    @Test func `status explains why an account waits, in the line that shows the next attempt`() throws {
        let line = try #require(lines("waiting", "InvalidProviderToken").last)
        #expect(line.hasPrefix("iosHTTP2 production token:KEY is held back, next attempt in 5 s: "))
        #expect(
            line.contains("'pushmta explain shop-ios' shows more, 'pushmta account resume shop-ios' ends"))
        #expect(line.contains("ends the wait. APNs cannot verify the provider token"))
        #expect(line.hasSuffix("See Docs/Reference/GatewayAnswers.md#apns-invalidprovidertoken"))
        let long = "INVALID_ARGUMENT: message.android.ttl: Illegal format."
        let stopped = try #require(lines("stopped", long, connector: "androidPushConnector").last)
        #expect(
            stopped.contains("Illegal format. FCM refuses a field") && stopped.hasSuffix("invalid_argument"))
    }

    @Test(arguments: ["stopped", "stalled", "waiting", "probing"])
    func `status shows once why an account sends nothing, whether or not there is an alarm`(state: String) {
        let account = "iosHTTP2 production token:KEY"
        func alarm(_ about: String, _ cause: String) -> MasterStatus.Alarm {
            MasterStatus.Alarm(kind: "account", about: about, cause: cause, seconds: 75)
        }
        let cause = "it is tried again at intervals: Forbidden. APNs refuses the request."
        for alarms in [
            [], [alarm(account, cause)], [alarm(account, "its quota allows less")],
            [alarm("iosHTTP2 production token:OTHER", "no answer")],
        ] {
            let lines = lines(state, "Forbidden", alarms: alarms)
            #expect(lines.count { $0.contains("Forbidden") } == 1, "\(lines)")
        }
        // The line of an account that waits still shows the next attempt.
        let rest = lines(state, "Forbidden", alarms: [alarm(account, cause)])
        let isTriedAgain = rest.contains {
            $0.hasPrefix("\(account) is held back, next attempt in 5 s; its messages wait; 'pushmta explain ")
        }
        #expect(isTriedAgain == (state == "waiting"))
    }

    @Test func `status shows once why a topic waits`() {
        let topic = AccountStatus.Topic(
            name: "com.example.voip", state: "waiting", reason: "TopicDisallowed", secondsUntilProbe: 7,
            waitingRanges: 1)
        let alarm = MasterStatus.Alarm(
            kind: "topic", about: "com.example.voip of iosHTTP2 production token:KEY",
            cause: "its messages have been waiting for 75 s: TopicDisallowed", seconds: 75)
        let lines = lines("working", "", topics: [topic], alarms: [alarm])
        #expect(lines.count { $0.contains("TopicDisallowed") } == 1)
        let end = " of iosHTTP2 production token:KEY, next attempt in 7 s; its messages wait, others continue"
        #expect(lines.contains { $0.hasPrefix("the gateway refuses topic ") && $0.hasSuffix(end) })
    }

    @Test func `status explains why a topic waits`() throws {
        let topic = AccountStatus.Topic(
            name: "com.example.voip", state: "waiting", reason: "TopicDisallowed", secondsUntilProbe: 7,
            waitingRanges: 1)
        let line = try #require(lines("working", "", topics: [topic]).last)
        #expect(line.hasPrefix("the gateway refuses topic com.example.voip of "))
        #expect(line.hasSuffix("See Docs/Reference/GatewayAnswers.md#apns-topicdisallowed"))
    }

    @Test func `status does not explain a reason that is not an answer from the account's gateway`() throws {
        for (reason, connector) in [
            ("Retry-After 30 s with status 503", "iosHTTP2"), ("BadTopic", "stub"),
            ("UNAVAILABLE", "iosHTTP2"),
        ] {
            let line = try #require(lines("waiting", reason, connector: connector).last)
            #expect(line.hasSuffix("ends the wait"), "\(line)")
        }
    }
}
