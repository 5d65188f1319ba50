import GatewayAPNsBinary
import PushModel
import PushWire
import Testing

@Suite struct APNsBinaryReasonsTests {
    @Test func `the table equals the table of test vectors, row by row and column by column`() throws {
        let vectors = try APNsReasonVectors(provider: "apns-binary").rows
        #expect(vectors.count == 15)
        #expect(APNsBinaryReasons.rows.count == vectors.count)
        for (row, vector) in zip(APNsBinaryReasons.rows, vectors) {
            let name = Comment(rawValue: vector["reason"] ?? "")
            let verdict = row.verdict
            #expect(row.wire == vector["reason"], name)
            #expect(String(describing: verdict.scope) == vector["scope"], name)
            #expect(String(describing: verdict.schedule) == vector["schedule"], name)
            #expect(number(verdict.minimumDelaySeconds) == vector["min_delay_s"], name)
            #expect(number(verdict.maximumTries) == vector["max_tries"], name)
            #expect((verdict.countsAttempt ? "yes" : "no") == vector["counts_attempt"], name)
            #expect(verdict.failureType.label == vector["failure_type"], name)
            #expect(verdict.failureReason.label == vector["failure_reason"], name)
            #expect(String(describing: verdict.quarantine) == vector["quarantine"], name)
        }
    }

    private func number(_ number: Int32) -> String { number == 0 ? "" : String(number) }

    @Test func `the text of each error packet status begins with the number of the status`() {
        for row in APNsBinaryReasons.rows {
            #expect(row.status.map { row.wire.hasPrefix("\($0) ") } ?? row.wire.hasPrefix("("), "\(row.wire)")
        }
        #expect(Set(APNsBinaryReasons.rows.compactMap(\.status)) == [1, 2, 3, 4, 5, 6, 7, 8, 10, 128, 255])
    }
}
