import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `without retryLostMessages, messages of a lost child fail, and no device receives a message twice`()
        async throws
    {
        let count = 10_000
        try await withTestbed(KillScenario.settings(stopsAfter: [count / 3])) { testbed in
            try testbed.reconfigure(#"retryLostMessages="true""#, to: #"retryLostMessages="false""#)
            let report = try await KillScenario(messages: count, victims: [.child]).run(in: testbed)
            let audit = report.audit
            #expect(
                audit
                    == .everyoneOnce(count).with {
                        $0.sent = count - audit.failed
                        $0.failed = audit.failed
                        $0.reached = audit.reached
                        $0.uncalledFor = audit.uncalledFor
                        $0.unanswered = audit.unanswered
                    })
            // Messages that the gateway received in the child's last moments are recorded as failed. This is
            // the price of never sending a message twice.
            #expect(audit.reached == audit.sent + audit.uncalledFor)
            #expect((1...report.bound).contains(audit.failed))
            #expect(audit.uncalledFor <= audit.failed)
            for row in try await testbed.messageLog(1) where row.state == "failed" {
                #expect(row.failureReason == "Unreachable" && row.providerReason.contains("(child lost)"))
            }
        }
    }
}

extension EndToEnd.Crashes {
    @Test
    func `without retryLostMessages, retries in a lost child fail too, and no other messages fail`()
        async throws
    {
        let count = 300
        let each = 100
        var settings = TestbedSettings()
        settings.gateway.rules = """
            d1* status 503 ServiceUnavailable each 1
            d1* silent
            """
        try await withTestbed(settings) { testbed in
            try testbed.reconfigure(#"retryLostMessages="true""#, to: #"retryLostMessages="false""#)
            try testbed.addSettings(#"<retry count="5" period="1s" minimumDelays="false"/>"#)
            try await testbed.createApp()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d1"], perPrefix: each))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.wait(for: delivery, "the others to be sent") { $0.counts.sent == count - each }
            let child = try await testbed.master("all of them to be tried again") {
                $0.children.first { $0.outstanding == each && $0.inFlight > 0 }
            }
            testbed.kill(child: child.pid)
            let report = try await testbed.settle(delivery)
            #expect(report.counts.failed == each && report.counts.sent == count - each)
            try await testbed.stopEngine()
            for row in try await testbed.messageLog(delivery) where row.state == "failed" {
                #expect(row.token.hasPrefix("d1"))
                #expect(row.failureReason == "Unreachable" && row.providerReason.contains("(child lost)"))
            }
            let audit = try await testbed.audit(of: delivery)
            #expect(
                audit
                    == .everyoneOnce(count - each).with {
                        $0.targeted = count
                        $0.failed = each
                        $0.rejected = each
                        $0.unanswered = audit.unanswered
                    })
            #expect((1...each).contains(audit.unanswered))
        }
    }
}

extension EndToEnd.Crashes {
    @Test
    func `without retryLostMessages, an orderly end does not fail any message, because no child is lost`()
        async throws
    {
        let count = 16_000
        try await withTestbed(KillScenario.settings(stopsAfter: (1...5).map { $0 * 2_500 })) { testbed in
            try testbed.reconfigure(#"retryLostMessages="true""#, to: #"retryLostMessages="false""#)
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            // A grant is rarely sent while a child is ending, so the test makes more than one attempt.
            for _ in 1...5 {
                try await testbed.startEngine()
                try await testbed.amidDelivery()
                try await testbed.stopEngine()
                let report = try await testbed.show(delivery)
                #expect(report.counts.failed == 0)
            }
            try await testbed.startEngine()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
