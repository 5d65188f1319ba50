import GatewayAPNs
import PushModel
import PushWire
import Testing

@Suite struct APNsReasonsTests {
    @Test func `the table equals the table of test vectors, row by row and column by column`() throws {
        let vectors = try APNsReasonVectors(provider: "apns").rows
        #expect(vectors.count > 40)
        #expect(APNsReasons.rows.count == vectors.count)
        for (row, vector) in zip(APNsReasons.rows, vectors) {
            let name = Comment(rawValue: "\(vector["http_status"] ?? "") \(vector["reason"] ?? "")")
            let verdict = row.verdict
            #expect(row.wire == vector["reason"], name)
            #expect(status(row.status) == vector["http_status"], name)
            #expect(String(describing: verdict.scope) == vector["scope"], name)
            #expect(String(describing: verdict.schedule) == vector["schedule"], name)
            #expect(number(verdict.minimumDelaySeconds) == vector["min_delay_s"], name)
            #expect(number(verdict.maximumTries) == vector["max_tries"], name)
            #expect((verdict.countsAttempt ? "yes" : "no") == vector["counts_attempt"], name)
            #expect(verdict.failureType.label == vector["failure_type"], name)
            #expect(verdict.failureReason.label == vector["failure_reason"], name)
            #expect(quarantine(verdict.quarantine) == vector["quarantine"], name)
        }
    }

    @Test func `no reason occurs twice for one status in the table`() {
        let keys = APNsReasons.rows.map { "\($0.wire) \($0.status)" }
        #expect(Set(keys).count == keys.count)
    }

    private func status(_ status: APNsReasons.Status) -> String {
        switch status {
        case .code(let code): String(code)
        case .anyServerError: "5xx"
        case .none: ""
        }
    }

    private func number(_ number: Int32) -> String { number == 0 ? "" : String(number) }

    private func quarantine(_ quarantine: Verdict.Quarantine) -> String {
        switch quarantine {
        case .no: "no"
        case .yes: "yes"
        case .byCounter: "by-counter"
        }
    }
}
