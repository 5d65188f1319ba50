import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

struct PollFeedbackCommandTests {
    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }
    private static let past = 1_600_000_000
    private static let future = 4_000_000_000

    /// Provides a workplace with four subscribers that have just registered.
    private static func withSink(
        _ feedback: String, certificate: String = "client.pem",
        _ story: (Workspace, FeedbackSink) async throws -> Void
    ) async throws {
        try await FeedbackSink.with(feedback) { sink in
            let workspace = try await Workspace.withBinaryApp(
                gatewayPort: sink.binaryPort, feedbackPort: sink.feedbackPort,
                trusting: "\(sink.certificates)/ca.pem",
                credential: ["--pem", "\(sink.certificates)/\(certificate)"])
            try await workspace.succeed(
                "subscribers", "import", "--app", "old", "-", input: Workspace.subscribers(4))
            try await story(workspace, sink)
        }
    }

    private static func count(_ workspace: Workspace) async throws -> String {
        try await workspace.succeed("subscribers", "count", "--app", "old").output
    }

    @Test
    func `uninstalled devices are disabled, re-registered devices are kept, and each has its evidence`()
        async throws
    {
        let lines = """
            \(Self.future) \(Self.token(1))
            \(Self.past) \(Self.token(2))
            \(Self.future) \(Self.token(77))

            """
        try await Self.withSink(lines) { workspace, _ in
            let poll = try await workspace.run("feedback", "poll", "old")
            #expect(poll.status == 0, "\(poll.errors)")
            #expect(poll.outputLines.count == 3)
            // A time in the future is replaced by the current time.
            #expect(poll.outputLines[0].hasPrefix("disabled 00000000…: app removed at 20"))
            #expect(
                poll.outputLines[0].contains(", last registered 20") && !poll.outputLines[0].contains("2096-")
            )
            #expect(
                poll.outputLines[1].hasPrefix(
                    "kept 00000000…: app removed at 2020-09-13T12:26:40Z, but last registered 20"))
            #expect(
                poll.outputLines[2]
                    == "3 devices: 1 disabled, 1 kept because they registered again, 0 excluded already, 1 unknown"
            )
            #expect(!poll.output.contains(Self.token(1)))
            #expect(try await Self.count(workspace) == "3 valid, 0 quarantined, 1 disabled\n")
            let list = try await workspace.succeed("quarantine", "list", "--state", "disabled")
            #expect(list.output.contains("feedback"))
            let app = try #require(try workspace.openStore().catalogue.app(named: "old"))
            #expect(try workspace.openStore().catalogue.lastFeedbackPoll(of: app.id) != nil)

            // The service has already reported all of its entries.
            let again = try await workspace.succeed("feedback", "poll", "old", "--json")
            let report = try #require(try again.json() as? [String: Any])
            #expect(report["complete"] as? Bool == true)
            #expect(report["told"] as? Int == 0)
        }
    }

    @Test(arguments: ["cut 10", "length 0", "length 60000"])
    func `if reading breaks off, the entries before the break are used, and the break is reported`(
        damage: String
    )
        async throws
    {
        let lines = "\(Self.future) \(Self.token(1))\n\(damage)\n\(Self.future) \(Self.token(2))\n"
        try await Self.withSink(lines) { workspace, _ in
            let poll = try await workspace.run("feedback", "poll", "old")
            #expect(poll.status == 1)
            #expect(poll.errorLines.count == 1)
            #expect(poll.errors.contains("could not be read completely"))
            #expect(poll.errors.contains("the 1 report received before the failure was applied"))
            #expect(try await Self.count(workspace) == "3 valid, 0 quarantined, 1 disabled\n")
            let app = try #require(try workspace.openStore().catalogue.app(named: "old"))
            #expect(try workspace.openStore().catalogue.lastFeedbackPoll(of: app.id) == nil)
        }
    }

    @Test func `if the feedback service refuses a certificate, the refusal is reported in one line`()
        async throws
    {
        let lines = "\(Self.future) \(Self.token(1))\n"
        try await Self.withSink(lines, certificate: "client-stranger.pem") { workspace, _ in
            let poll = try await workspace.run("feedback", "poll", "old")
            #expect(poll.status == 1)
            #expect(poll.output.isEmpty)
            #expect(poll.errorLines.count == 1)
            #expect(poll.errors.contains("certificate"))
            #expect(try await Self.count(workspace) == "4\n")
        }
    }

    @Test func `poll does the same work if a master is running`() async throws {
        try await Self.withSink("") { workspace, sink in
            try await workspace.withMaster { _ in
                let store = try workspace.openStore()
                let app = try #require(try store.catalogue.app(named: "old"))
                // The master reads the service when it starts. Later reports wait for the next poll, hours
                // later.
                try await eventually("the master has read the service") {
                    try store.catalogue.lastFeedbackPoll(of: app.id) != nil
                }
                try sink.tell("\(Self.future) \(Self.token(3))\n")
                let poll = try await workspace.succeed("feedback", "poll", "old")
                #expect(poll.outputLines.last?.hasPrefix("1 device: 1 disabled, ") == true)
                #expect(try await Self.count(workspace) == "3 valid, 0 quarantined, 1 disabled\n")
            }
        }
    }

    @Test func `if nothing listens at the feedback service's address, one line reports this`() async throws {
        let workspace = try await Workspace.withBinaryApp()
        let poll = try await workspace.run("feedback", "poll", "old")
        #expect(poll.status == 1)
        #expect(poll.output.isEmpty)
        #expect(poll.errorLines.count == 1)
    }

    @Test func `poll is refused for an app whose connector has no feedback service`() async throws {
        let workspace = try await Workspace.withApp()
        let poll = try await workspace.run("feedback", "poll", "ios")
        #expect(poll.status == 3)
        #expect(poll.errors.contains("reports missing devices"))
    }

    @Test func `a rehearsal does not contact the feedback service`() async throws {
        let workspace = try await Workspace.withBinaryApp()
        try workspace.write(
            try workspace.text(of: "serverConf.xml").replacing("<mta ", with: "<mta verifyMode=\"true\" "),
            to: "serverConf.xml")
        let poll = try await workspace.run("feedback", "poll", "old")
        #expect(poll.status == 3)
        #expect(poll.errors.contains("verifyMode"))
    }
}
