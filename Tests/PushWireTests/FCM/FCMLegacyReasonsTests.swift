import GatewayFCM
import PushWire
import Testing

@Suite struct FCMLegacyReasonsTests {
    @Test func `the table equals the table of test vectors, row by row and column by column`() throws {
        #expect(FCMLegacyReasons.rows.count == 19)
        try expect(FCMLegacyReasons.rows, toBeTheVectorsOf: "fcm-legacy")
    }
}
