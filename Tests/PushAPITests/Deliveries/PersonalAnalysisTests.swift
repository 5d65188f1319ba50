import PushAPI
import PushModel
import PushStore
import Testing

/// Tests the analysis of a personalised delivery before it is sent.
struct PersonalAnalysisTests {
    /// One subscriber has a name, one has a name that no gateway would accept, and two have none.
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let names = [nil, "Ada \\\"the first\\\"", String(repeating: "x", count: 4_100), nil]
        let records = names.enumerated().map { index, name in
            SubscriberRecord(
                token: TestInstance.token(index + 1), userKey: "user\(index + 1)",
                parametersJSON: name.map { "{\"firstName\":\"\($0)\"}" })
        }
        _ = try instance.store.subscriberImporter.upsert(records, into: app.id, at: TestInstance.noon)
        return instance
    }

    private static let content: [String: any Sendable] = ["content": ["body": "Hi {{firstName}}"]]

    @Test func `a dry run counts recipients without a value and recipients whose payload is too large`()
        throws
    {
        let dryRun = DryRunDelivery(
            document: try TestInstance.submission(Self.content).document, documentName: "sale.json")
        let found = try Self.instance().operations.carryOut(dryRun)
        #expect(found.targeted == 4 && found.excluded == 0 && found.tooLarge == 1)
        #expect(found.missingValues.map(\.name) == ["firstName"] && found.missingValues.map(\.count) == [2])
        #expect(found.apps[0].sample?.payload.contains(#""body":"Hi Ada \"the first\"""#) == true)
    }

    @Test func `a preview shows each recipient's own text, or why the recipient has none`() throws {
        let instance = try Self.instance()
        func preview(_ key: String) throws -> (payload: String?, fault: String?) {
            let preview = PreviewDelivery(
                document: try TestInstance.submission(Self.content).document, documentName: "sale.json",
                who: .userKey(key))
            let device = try #require(try instance.operations.carryOut(preview).devices.first)
            return (device.message?.payload, device.fault)
        }
        #expect(try preview("user2").payload?.contains(#"Hi Ada \"the first\""#) == true)
        #expect(try preview("user1").fault == "no value for {{firstName}}")
        #expect(try preview("user3").fault == "the payload exceeds the gateway's limit")
    }
}
