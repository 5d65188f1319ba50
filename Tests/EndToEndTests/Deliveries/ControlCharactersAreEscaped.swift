import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `control characters from a gateway are escaped in every output`() async throws {
        var settings = TestbedSettings()
        settings.gateway.rules = """
            d1* status 400 Bad\\x0a2026-01-01\\x20CRITICAL\\x1b]0;x\\x07\\x9b
            e1* goaway Shut\\x0adown\\x1b[31m\\x07 times 1
            """
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(
                SyntheticSubscribers(500, prefixes: ["d1", "e1"], perPrefix: 20))
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            // What remains of the connection may end a little later.
            let log = try await Waiting.until("the log to report the connection's end") {
                let log = testbed.engineLogs.map(Folder.text).joined()
                return log.contains("Shut") ? log : nil
            }
            // The text is quoted a second time, because it is a value in a log line.
            #expect(log.contains(#"Shut\\ndown\\u{1B}[31m\\u{7}"#))
            var shown = [log]
            for command in [
                ["status"], ["status", "--json"], ["explain", Testbed.app],
                ["delivery", "show", "\(delivery)"],
                ["delivery", "log", "\(delivery)"], ["delivery", "log", "\(delivery)", "--format", "jsonl"],
            ] {
                shown.append(try await testbed.succeed(command).output)
            }
            try await testbed.stopEngine()
            for text in shown {
                #expect(
                    !text.unicodeScalars.contains {
                        $0 != "\n" && ($0.value < 0x20 || 0x7F...0x9F ~= $0.value)
                    })
                #expect(
                    !text.split(separator: "\n").contains {
                        $0.hasPrefix("2026-01-01 CRITICAL") || $0.hasPrefix("down")
                    })
            }
            let word = #"Bad\n2026-01-01 CRITICAL\u{1B}]0;x\u{7}\u{9B}"#
            #expect(shown[3].contains(word))
            #expect(try await testbed.messageLog(delivery).count { $0.providerReason == word } == 20)
        }
    }
}
