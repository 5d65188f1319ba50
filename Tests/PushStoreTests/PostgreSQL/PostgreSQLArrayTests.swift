import PushStore
import Testing

/// Returns the array as PostgreSQL's own `array_send` writes it: psql shows the same for `SELECT
/// array_send(ARRAY[…])`.
@Suite(.onPostgreSQL) struct PostgreSQLArrayTests {
    private func hex(_ array: PostgreSQLArray) -> String {
        array.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func sent(_ array: String) throws -> [String] {
        try #require(TemporaryCluster.shared).run("SELECT encode(array_send(\(array)), 'hex')")
    }

    @Test func `encoded integer arrays match the server's own encoding`() throws {
        let numbers: [Int64] = [1, -1, .max, .min, 9_007_199_254_740_993]
        #expect(
            try sent("CAST('{\(numbers.map { "\($0)" }.joined(separator: ","))}' AS BIGINT[])") == [
                hex(.of(numbers))
            ])
        #expect(try sent("CAST('{}' AS BIGINT[])") == [hex(.of([Int64]()))])
    }

    @Test func `encoded text arrays match the server's own encoding, except the unused NULL flag`() throws {
        #expect(
            try sent("ARRAY['', 'é\u{1F600}', 'a''b\"c,{}']") == [hex(.of(["", "é\u{1F600}", "a'b\"c,{}"]))])
        let withNull = hex(.of(["a", nil]))
        // The dimensions, followed by the flag.
        let server = try #require(try sent("ARRAY['a', NULL]").first)
        #expect(server.prefix(8) == withNull.prefix(8) && server.dropFirst(16) == withNull.dropFirst(16))
    }
}
