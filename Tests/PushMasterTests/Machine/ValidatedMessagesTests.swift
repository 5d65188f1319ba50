import GatewayFCM
import PushConfig
import PushConnectors
import PushMaster
import PushModel
import PushWire
import TestSupport
import Testing

/// Tests messages that a gateway only validates.
@Suite struct ValidatedMessagesTests {
    private static func job(_ platform: Platform, _ contentJSON: [UInt8]) -> JobDefinition {
        let connector: ConnectorName = platform == .ios ? .iosHTTP2 : .androidPushConnector
        let row = ConnectorCatalogue.rows.first { $0.name == connector }
        return JobDefinition(
            order: JobOrder(
                job: 1, account: 1, delivery: DeliveryID(rawValue: 7), platform: platform,
                bundleID: "", messageIDFormat: .uuid, tracking: false,
                expiresAt: WallTime(secondsSince1970: 9), variables: [], contentJSON: contentJSON),
            retry: RetryOverride(), mark: AccountKey(rawValue: "m"),
            validatesOnly: row?.validatesOnly(contentJSON, platform) == true)
    }

    private static func record(_ change: MessageRecord.Change) -> MessageRecord {
        MessageRecord(message: MessageID(rawValue: 3), change: change, countsAttempt: true)
    }

    @Test
    func `validated messages without a fault are excluded and not sent, and refused messages have failed`()
        throws
    {
        var content = Content(body: "x")
        content.android.validateOnly = true
        let job = Self.job(.android, ConnectorCatalogue.contents.encode(content))
        #expect(job.validatesOnly)
        // A rehearsal is treated the same.
        let stub = try #require(ConnectorCatalogue.rows.first { $0.name == .stub })
        #expect(stub.validatesOnly(job.order.contentJSON, .android))
        #expect(!stub.validatesOnly(job.order.contentJSON, .ios))
        let validated = Self.record(
            .excluded(.excludedByRule, why: "validated only: no device gets it"))
        #expect(job.accepted(Self.record(.sent(providerID: nil))) == validated)
        #expect(job.accepted(Self.record(.sent(providerID: "projects/p/messages/1"))) == validated)
        let failed = Self.record(.failed(.hard, .userUnknown, providerReason: "UNREGISTERED"))
        #expect(job.accepted(failed) == failed)
    }

    @Test func `for iOS a request to only validate has no effect, and neither has damaged content`() {
        var content = Content(body: "x")
        let sent = Self.record(.sent(providerID: nil))
        #expect(Self.job(.android, ConnectorCatalogue.contents.encode(content)).accepted(sent) == sent)
        content.android.validateOnly = true
        #expect(Self.job(.ios, ConnectorCatalogue.contents.encode(content)).accepted(sent) == sent)
        for damaged in ["", "{", "[]"] {
            #expect(!Self.job(.android, Array(damaged.utf8)).validatesOnly)
        }
    }
}
