import GatewayAPNs
import GatewayAPNsBinary
import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import Testing

struct MessageReasonsTests {
    @Test func `the list contains exactly the gateways' reasons that concern messages`() {
        let words = MessageReasons.words
        for word in [
            "BadCollapseId", "PayloadEmpty", "InvalidTtl", "INVALID_ARGUMENT", "7 invalid payload size",
        ] {
            #expect(words.contains(word), "\(word)")
        }
        #expect(!words.contains { $0.hasPrefix("(unknown)") })
        let verdicts =
            APNsReasons.rows.map { ($0.wire, $0.verdict) }
            + APNsBinaryReasons.rows.map { ($0.wire, $0.verdict) }
            + FCMReasons.rows.map { ($0.wire, $0.verdict) }
            + FCMLegacyReasons.rows.map { ($0.wire, $0.verdict) }
        for (word, verdict) in verdicts where words.contains(word) {
            #expect(verdict.scope == .message && verdict.schedule == .none, "\(word)")
        }
    }
}
