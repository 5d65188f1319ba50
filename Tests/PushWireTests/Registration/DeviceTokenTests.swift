import GatewayAPNs
import GatewayFCM
import PushModel
import PushWire
import TestContents
import Testing

@Suite struct DeviceTokenTests {
    static let placeholders = [
        "null", "NULL", "(null)", "<null>", "nil", "None", "undefined", "unknown", "BLACKLISTED",
        "blacklisted",
    ]

    @Test(arguments: placeholders)
    func `a placeholder for a missing token is not a token`(word: String) throws {
        for platform in Platform.allCases {
            #expect(DeviceToken.canonical(word, for: platform) == nil)
            // The token in a registration.
            let form = "registrationToken=\(word)&mobileAppUuid=key"
            #expect(throws: RegistrationRefusal.self) {
                try RegistrationForm.read(Array(form.utf8), platform: platform)
            }
            // The token in an import.
            var file = SubscriberCSV(platform: platform)
            var batch = SubscriberBatch()
            try file.feed(Array("registrationToken,userKey\n\(word),ada\nab12,bob\n".utf8).span, into: &batch)
            try file.finish(into: &batch)
            #expect(batch.records.map(\.userKey) == ["bob"] && batch.rejected.map(\.line) == [2])
        }
        // The token in a single message, and in the lists of a delivery.
        let problem = "must be a device token, not a placeholder for a missing one"
        let message = #"{"app": "a", "token": "\#(word)", "content": {"title": "Hi"}}"#
        expect(Fault(path: "token", problem: problem)) {
            let value = try #require(try MessageDocument.values(of: Array(message.utf8)).first)
            _ = try MessageDocument.read(value) { value throws(WireError) in try ContentDocument.read(value) }
        }
        for (target, path) in [
            (#"{"tokens": ["ab", "\#(word)"]}"#, "target.tokens[1]"),
            (#"{"recipients": [{"token": "\#(word)"}]}"#, "target.recipients[0].token"),
            (#"{"all": true, "exclude": {"tokens": ["\#(word)"]}}"#, "target.exclude.tokens[0]"),
        ] {
            let document =
                #"{"label": "x", "service": "s", "target": \#(target), "content": {"title": "Hi"}}"#
            expect(Fault(path: path, problem: problem)) {
                _ = try DeliveryDocument.parse(Array(document.utf8))
            }
        }
    }

    private func expect(_ finding: Fault, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("\(finding) was expected")
        } catch {
            #expect("\(error)".contains("\(finding.path): \(finding.problem)"))
        }
    }

    @Test func `tokens have the same spelling as in the store`() throws {
        #expect(DeviceToken.canonical("<AABB ccdd>", for: .ios) == "aabbccdd")
        #expect(DeviceToken.canonical("<AABB ccdd>", for: .android) == nil)
        #expect(DeviceToken.canonical("fQ:APA91b-_x", for: .android) == "fQ:APA91b-_x")
        #expect(DeviceToken.spelled("<AABB ccdd>", for: [.android, .ios]) == "aabbccdd")
        #expect(DeviceToken.spelled("AABB", for: [.android]) == "AABB")
        #expect(DeviceToken.spelled("fQ:APA91b-_x", for: [.ios]) == "fQ:APA91b-_x")
        let form = "registrationToken=%3CAABBccdd+00112233%3E&mobileAppUuid=key"
        #expect(try RegistrationForm.read(Array(form.utf8), platform: .ios).token == "aabbccdd00112233")
        var file = SubscriberCSV(platform: .ios)
        var batch = SubscriberBatch()
        try file.feed(Array("registrationToken,userKey\n<aabb CCDD>,ada\n".utf8).span, into: &batch)
        try file.finish(into: &batch)
        #expect(batch.records.map(\.token) == ["aabbccdd"])
    }
}
