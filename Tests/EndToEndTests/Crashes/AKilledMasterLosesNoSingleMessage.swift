import FoundationEssentials
import TestSupport
import Testing
import pushload

extension EndToEnd.Crashes {
    /// Callers retry with their idempotency key, so that each message is sent once.
    @Test func `kill -9 of the master while single messages arrive does not lose any accepted message`()
        async throws
    {
        let count = 64
        try await withTestbed(KillScenario.settings(capacity: 100, delayMilliseconds: 50)) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(count))
            try await testbed.startEngine()
            var answered: [Int: SentText] = [:]
            var isKilled = false
            while answered.count < count {
                let next = (0..<count).filter { answered[$0] == nil }.prefix(8)
                let asked = try next.map { number in
                    (
                        number,
                        try testbed.launch([
                            "send", "--app", Testbed.app, "--token",
                            SyntheticSubscribers(count).token(number),
                            "--title", "Message \(number % 3)", "--idempotency-key", "message \(number)",
                            "--json",
                        ])
                    )
                }
                if answered.count >= count / 2, !isKilled {
                    isKilled = true
                    _ = try await testbed.killMaster()
                }
                for (number, process) in asked {
                    guard try await process.end(within: .seconds(120)).status == 0 else { continue }
                    answered[number] = try SentText(Folder.text(process.output))
                }
                if isKilled, testbed.engine?.isRunning != true { try await testbed.startEngine() }
            }
            let delivery = try #require(answered[0]?.delivery)
            #expect(answered.values.allSatisfy { $0.delivery == delivery })
            #expect(Set(answered.values.flatMap(\.devices).map(\.id)).count == count)
            for sent in answered.values {
                try await testbed.eventuallySent(sent.devices[0].id)
            }
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= 2 * testbed.settings.capacity)
        }
    }
}

/// The output of `send --json`.
struct SentText: Decodable {
    struct Device: Decodable {
        var id: String
        var state: String
    }
    var delivery: Int
    var devices: [Device]
    var isRepeated: Bool

    init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
}

extension Testbed {
    func eventuallySent(_ message: String) async throws {
        try await eventually("message \(message) to be sent") {
            try await succeed(["message", "show", message, "--json"]).output.contains(#""state": "sent""#)
        }
    }
}
