import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `without retryLostMessages a lost child's messages fail, and nobody hears twice`() async throws
    {
        let count = 10_000
        try await withHouse(KillScenario.settings()) { house in
            try house.reconfigure(#"retryLostMessages="true""#, to: #"retryLostMessages="false""#)
            let report = try await KillScenario(messages: count, victims: [.child]).run(in: house)
            let ledger = report.ledger
            #expect(
                ledger
                    == .everyoneOnce(count).with {
                        $0.sent = count - ledger.failed
                        $0.failed = ledger.failed
                        $0.reached = ledger.reached
                        $0.uncalledFor = ledger.uncalledFor
                        $0.unanswered = ledger.unanswered
                    })
            // What the gateway took in the child's last moments is called failed: the price of never sending
            // twice.
            #expect(ledger.reached == ledger.sent + ledger.uncalledFor)
            #expect((1...report.bound).contains(ledger.failed))
            #expect(ledger.uncalledFor <= ledger.failed)
            for row in try await house.messageLog(1) where row.state == "failed" {
                #expect(row.failureReason == "Unreachable" && row.providerReason.contains("(child lost)"))
            }
        }
    }
}

extension EndToEnd.Crashes {
    @Test
    func
        `without retryLostMessages, what a lost child was trying again fails as well, and nothing else does`()
        async throws
    {
        let count = 300
        let each = 100
        var settings = HouseSettings()
        settings.gateway.rules = """
            d1* status 503 ServiceUnavailable each 1
            d1* silent
            """
        try await withHouse(settings) { house in
            try house.reconfigure(#"retryLostMessages="true""#, to: #"retryLostMessages="false""#)
            try house.addSettings(#"<retry count="5" period="1s" minimumDelays="false"/>"#)
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count, prefixes: ["d1"], perPrefix: each))
            try await house.startEngine()
            let delivery = try await house.submit()
            try await house.wait(for: delivery, "the others to be sent") { $0.counts.sent == count - each }
            let child = try await Waiting.until("all of them to be tried again") {
                try await house.status().master?.children.first { $0.outstanding == each && $0.inFlight > 0 }
            }
            house.kill(child: child.pid)
            let report = try await house.settle(delivery)
            #expect(report.counts.failed == each && report.counts.sent == count - each)
            try await house.stopEngine()
            for row in try await house.messageLog(delivery) where row.state == "failed" {
                #expect(row.registrationToken.hasPrefix("d1"))
                #expect(row.failureReason == "Unreachable" && row.providerReason.contains("(child lost)"))
            }
            let ledger = try await house.ledger(of: delivery)
            #expect(
                ledger
                    == .everyoneOnce(count - each).with {
                        $0.targeted = count
                        $0.failed = each
                        $0.rejected = each
                        $0.unanswered = ledger.unanswered
                    })
            #expect((1...each).contains(ledger.unanswered))
        }
    }
}

extension EndToEnd.Crashes {
    @Test func `without retryLostMessages an orderly end fails nobody: a child that leaves has lost nothing`()
        async throws
    {
        let count = 16_000
        try await withHouse(KillScenario.settings()) { house in
            try house.reconfigure(#"retryLostMessages="true""#, to: #"retryLostMessages="false""#)
            try await house.createApp()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            // Grants that cross a child on its way out are rare: more than one chance.
            for round in 1...5 {
                try await house.startEngine()
                try await house.wait(for: delivery, "a part to be sent") { $0.counts.sent >= round * 2_500 }
                try await house.stopEngine()
                let report = try await house.show(delivery)
                #expect(report.counts.failed == 0)
            }
            try await house.startEngine()
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
