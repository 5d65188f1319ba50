import Testing
import pushload

extension EndToEnd {
    @Test func `without retryLostMessages a lost child's messages fail, and nobody hears twice`() async throws {
        let count = 10_000
        try await withHouse(KillScenario.settings()) { house in
            try house.reconfigure(#"retryLostMessages="true""#, to: #"retryLostMessages="false""#)
            let report = try await KillScenario(messages: count, victims: [.child]).run(in: house)
            let ledger = report.ledger
            #expect(ledger == .everyoneOnce(count).with {
                $0.sent = count - ledger.failed
                $0.failed = ledger.failed
                $0.reached = ledger.reached
                $0.uncalledFor = ledger.uncalledFor
                $0.unanswered = ledger.unanswered
            })
            // What the gateway took in the child's last moments is called failed: the price of never sending twice.
            #expect(ledger.reached == ledger.sent + ledger.uncalledFor)
            #expect((1...report.bound).contains(ledger.failed))
            #expect(ledger.uncalledFor <= ledger.failed)
            for row in try await house.messageLog(1) where row.state == "failed" {
                #expect(row.failureReason == "Unreachable" && row.providerReason.contains("(child lost)"))
            }
        }
    }
}
