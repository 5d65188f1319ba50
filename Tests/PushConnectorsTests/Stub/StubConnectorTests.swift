import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct StubConnectorTests {
    private static let order = AccountOrder(
        account: 1, connector: .stub, environment: .production, credential: OpaqueCredential(bytes: []),
        gateway: GatewayOrder())

    @Test func `every message is accepted, and no outcome is reported before the flush`() throws {
        let sender = try Sender(Self.order, messages: 100, bundleID: "com.example")
        let grant = try Sender.grant(messages: 1)
        #expect(sender.submit(GrantFrame.firstEntry, of: grant, as: 1_000) == .taken)
        #expect(sender.outcomes.isEmpty)
        #expect(sender.connector.inFlight == 1)
        sender.connector.flush()
        #expect(sender.outcomes == [1_000: .accepted(providerID: nil)])
        #expect(sender.connector.inFlight == 0)
    }

    @Test func `messages that exceed the credit wait`() throws {
        let sender = try Sender(Self.order, messages: 25_000, bundleID: "com.example")
        let credit = sender.connector.credit
        #expect(credit > 0 && credit < 25_000)
        try sender.sendAll()
        #expect(sender.acceptedCount == 25_000)
        #expect(sender.connector.credit == credit)
    }

    @Test func `a message without a template is accepted too`() throws {
        let sender = try Sender(Self.order, messages: 10, bundleID: "com.example")
        sender.connector.retire(job: 1)
        let long = #"{"title":"\#(String(repeating: "x", count: 5_000))"}"#
        try sender.connector.admit(Sender.job(bundleID: "", content: long, platform: .android))
        try sender.sendAll()
        #expect(sender.acceptedCount == 10)
    }

    @Test func `a rehearsal finds the same errors as real sending`() throws {
        let sender = try Sender(Self.order, messages: 1, bundleID: "com.example")
        for content in ["no JSON", #"{"title":"\#(String(repeating: "x", count: 5_000))"}"#] {
            #expect(throws: (any Error).self) {
                try sender.connector.admit(Sender.job(bundleID: "com.example", content: content))
            }
        }
    }
}
