import PushTransport
import TestSupport
import Testing

/// Tests of two implementations of HTTP/2 against each other: the session and nghttp2's server.
@Suite struct HTTP2SessionStoryTests {
    private static let path = "/3/device/"

    /// Returns the body of the request with this tag.
    private static func body(_ tag: UInt64) -> String {
        String(repeating: "\(tag).", count: Int(tag * 7919 % 1300))
    }

    @Test(arguments: 1...60) func `a submitted request arrives complete and once, and its answer is returned`(
        seed: UInt64
    ) throws {
        var chance = SeededRandom(seed: seed)
        let tableSizes: [UInt32] = [0, 64, 300, 4096, 65_536]
        let server = MemoryServer([
            (3, UInt32(1 + chance.below(50))), (1, tableSizes[chance.below(5)]),
            (4, [0, 1, 500, 65_535, 1 << 20][chance.below(5)]),
        ])
        let client = try SessionFixture(
            {
                $0.maximumStreams = 1 + chance.below(60)
                $0.indexesSecrets = chance.below(2) == 0
            }, room: [1_100, 4_000, 64 << 10][chance.below(3)])
        let jobs = try (0..<1 + chance.below(40)).map {
            try RequestTemplate(SessionFixture.pushLike(topic: "com.example.app\($0)", token: "\($0 % 3)"))
        }
        var submitted: UInt64 = 0, statuses: [UInt64: Int] = [:], reset: Set<UInt64> = []
        let total = UInt64(300)
        var rounds = 0
        while client.ended.count < Int(total), rounds < 20_000 {
            rounds += 1
            while submitted < total, chance.below(4) != 0 {
                let long = chance.below(50) == 0 ? String(repeating: "i", count: 3_000) : nil
                let job = jobs[chance.below(jobs.count)]
                guard client.submit(submitted, body: Self.body(submitted), id: long, of: job) else { break }
                submitted += 1
            }
            exchange(client, server, &chance)
            try #require(!server.isBroken && client.failure == nil, "seed \(seed)")
            act(server, &chance, &statuses, &reset)
        }
        #expect(client.ended.count == Int(total), "seed \(seed): it stopped")
        for (tag, ending) in client.ended {
            // SETTINGS that allow fewer streams may cross with requests, which are then refused (7).
            guard ending.code != 7 else {
                #expect(server.requests["\(Self.path)\(tag)"] == nil && ending.status == 0)
                continue
            }
            let request = try #require(server.requests["\(Self.path)\(tag)"])
            #expect(request.body == Array(Self.body(tag).utf8), "seed \(seed): \(tag)")
            #expect(ending.status == statuses[tag] ?? 0)
            #expect(ending.isComplete == !reset.contains(tag))
        }
    }

    /// Transfers the bytes in pieces, whatever the boundaries of frames.
    private func exchange(_ client: SessionFixture, _ server: MemoryServer, _ chance: inout SeededRandom) {
        server.receive(client.send(atMost: chance.below(3) == 0 ? 1 + chance.below(1_100) : nil))
        var rest = server.send()[...]
        while !rest.isEmpty {
            let part = rest.prefix([1, 5, 9, 40, 70_000][chance.below(5)])
            client.receive(Array(part))
            rest = rest.dropFirst(part.count)
        }
    }

    private func act(
        _ server: MemoryServer, _ chance: inout SeededRandom, _ statuses: inout [UInt64: Int],
        _ reset: inout Set<UInt64>
    ) {
        for (stream, request) in server.unanswered where chance.below(3) != 0 {
            guard let tag = UInt64(request.path.dropFirst(Self.path.count)) else { continue }
            server.unanswered.removeAll { $0.stream == stream }
            if chance.below(20) == 0 {
                reset.insert(tag)
                server.reset(stream, 2)
            } else {
                let status = [200, 400, 410, 503][chance.below(4)]
                statuses[tag] = status
                let body = [UInt8](repeating: 0x62, count: chance.below(3) * 40)
                server.answer(stream, "\(status)", body: body)
            }
        }
        switch chance.below(30) {
        case 0: server.settings([(1, [0, 50, 200, 4096][chance.below(4)])])
        case 1: server.settings([(3, UInt32(1 + chance.below(20)))])
        case 2: server.settings([(4, [0, 10, 3_000, 1 << 20][chance.below(4)])])
        case 3: server.settings([(1, 0), (1, 4096), (5, 1 << 20)])
        case 4: server.ping()
        // Windows of 0 need an explicit update, or nothing would move.
        case 5: server.settings([(4, 65_535)])
        default: break
        }
    }

    @Test(arguments: 1...20) func `an abandoned request never arrives later`(seed: UInt64) throws {
        var chance = SeededRandom(seed: seed)
        let server = MemoryServer([(3, 100)], hasAutomaticWindows: false)
        let client = try SessionFixture(room: 2_000)
        client.receive(server.send())
        var cancelled: [UInt64] = []
        for tag in 0..<200 as Range<UInt64> {
            client.submit(tag, body: String(repeating: "x", count: chance.below(1_500)))
            if chance.below(3) == 0 { server.receive(client.send(atMost: chance.below(2_000))) }
            if chance.below(3) == 0 {
                let victim = UInt64(chance.below(Int(tag) + 1))
                if client.ended[victim] == nil {
                    client.cancel(victim)
                    cancelled.append(victim)
                }
            }
        }
        for _ in 0..<40 {
            server.receive(client.send())
            server.allow(0, 60_000)
            client.receive(server.send())
        }
        #expect(!server.isBroken && client.failure == nil)
        var neverSent = 0
        for tag in cancelled where client.ended[tag]?.wasFramed == false {
            neverSent += 1
            #expect(server.requests["\(Self.path)\(tag)"] == nil)
        }
        #expect(neverSent > 0)
        for tag in 0..<200 as Range<UInt64> where !cancelled.contains(tag) {
            #expect(server.requests["\(Self.path)\(tag)"] != nil || client.session.inUse > 0)
        }
    }
}
