import GatewayFCM
import PushWire
import Testing

@Suite struct OAuthReasonsTests {
    @Test func `the table equals the table of test vectors, row by row and column by column`() throws {
        #expect(OAuthReasons.rows.count == 6)
        try expect(OAuthReasons.rows, toBeTheVectorsOf: "oauth")
    }
}
