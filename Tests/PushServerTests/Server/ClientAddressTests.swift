import PushModel
import PushServer
import Testing

@Suite struct ClientAddressTests {
    private static func client(_ peer: String, _ forwarded: [String], _ proxies: String...) throws
        -> IPAddress
    {
        ClientAddress.of(
            peer: try #require(IPAddress(peer)), forwarded: forwarded,
            trusting: proxies.compactMap { IPNetwork($0) })
    }

    @Test func `a client that does not use a trusted proxy is identified by its own address`() throws {
        #expect(try Self.client("192.0.2.1", ["203.0.113.9"]) == IPAddress("192.0.2.1"))
        #expect(try Self.client("192.0.2.1", ["203.0.113.9"], "10.0.0.0/8") == IPAddress("192.0.2.1"))
    }

    @Test func `a forwarding chain is trusted from its end, as far as trusted proxies added to it`() throws {
        let chain = ["1.1.1.1, 203.0.113.9", "10.0.0.2"]
        #expect(try Self.client("10.0.0.1", chain, "10.0.0.0/8") == IPAddress("203.0.113.9"))
        #expect(try Self.client("10.0.0.1", chain, "10.0.0.1") == IPAddress("10.0.0.2"))
        #expect(try Self.client("10.0.0.1", ["10.0.0.3,10.0.0.2"], "10.0.0.0/8") == IPAddress("10.0.0.3"))
    }

    @Test(arguments: [
        ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::7]:4711", "2001:db8::7"),
        (" 2001:db8::7\t", "2001:db8::7"),
        ("[2001:db8::7]", "2001:db8::7"), ("unknown", "10.0.0.1"), ("", "10.0.0.1"),
        ("203.0.113.9, ", "10.0.0.1"),
        ("\u{FF11}.2.3.4", "10.0.0.1"), ("203.0.113.9, _hidden", "10.0.0.1"),
    ])
    func `an element is an address with an optional port, and the trusted chain ends at an invalid element`(
        forwarded: String, client: String
    ) throws {
        #expect(try Self.client("10.0.0.1", [forwarded], "10.0.0.1") == IPAddress(client))
    }

    @Test func `a very long forwarding chain is not followed to its beginning`() throws {
        let chain = (0..<10_000).map { _ in "10.0.0.2" }.joined(separator: ",")
        #expect(try Self.client("10.0.0.1", ["203.0.113.9," + chain], "10.0.0.0/8") == IPAddress("10.0.0.2"))
    }
}

@Suite struct RequestAllowanceTests {
    private static let second: Int64 = 1_000_000_000

    @Test
    func `an address may make two seconds' worth of requests immediately, and then requests at its rate`()
        throws
    {
        let allowance = RequestAllowance()
        let client = try #require(IPAddress("192.0.2.1"))
        func taken(at now: Int64) -> Int {
            (0..<100).count { _ in allowance.take(from: client, perSecond: 10, now: now) }
        }
        #expect(taken(at: Self.second) == 20)
        #expect(taken(at: 2 * Self.second) == 10)
        #expect(taken(at: 2 * Self.second + Self.second / 2) == 5)
        #expect(taken(at: 100 * Self.second) == 20)
    }

    @Test func `each address has its own allowance, loopback is not limited, and 0 means unlimited`() throws {
        let allowance = RequestAllowance()
        func isTaken(_ client: String, perSecond: Int = 1) throws -> Bool {
            allowance.take(from: try #require(IPAddress(client)), perSecond: perSecond, now: Self.second)
        }
        let first = try (0..<3).map { try isTaken("2001:db8::\($0)") }
        #expect(first == [true, true, false])
        #expect(try isTaken("2001:db8:0:1::1"))
        #expect(try isTaken("2001:db8::7", perSecond: 0))
        #expect(try (0..<100).allSatisfy { _ in try isTaken("127.0.0.1") })
    }

    @Test
    func `memory stays limited with any number of addresses, and a client above its rate stays refused`() {
        let allowance = RequestAllowance()
        let greedy = IPAddress(v4: 1)
        while allowance.take(from: greedy, perSecond: 1, now: Self.second) {}
        for number in 0..<UInt32(99_990) {
            #expect(allowance.take(from: IPAddress(v4: 1_000 + number), perSecond: 1, now: Self.second))
        }
        #expect(!allowance.take(from: greedy, perSecond: 1, now: Self.second))
        for number in 0..<UInt32(100_000) {
            _ = allowance.take(from: IPAddress(v4: 500_000 + number), perSecond: 1, now: 9 * Self.second)
        }
        #expect(allowance.count <= 100_000)
    }
}
