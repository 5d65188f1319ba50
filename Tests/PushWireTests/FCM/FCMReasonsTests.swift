import GatewayFCM
import PushWire
import Testing

@Suite struct FCMReasonsTests {
    @Test func `the table equals the table of test vectors, row by row and column by column`() throws {
        #expect(FCMReasons.rows.count == 18)
        try expect(FCMReasons.rows, toBeTheVectorsOf: "fcm-v1")
    }
}
