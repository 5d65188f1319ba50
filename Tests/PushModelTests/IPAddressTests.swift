import PushModel
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", UInt64(0), UInt64(0xFFFF_C000_0201)), ("0.0.0.0", 0, 0xFFFF_0000_0000),
        ("255.255.255.255", 0, 0xFFFF_FFFF_FFFF), ("::", 0, 0), ("::1", 0, 1),
        ("2001:db8::1", 0x2001_0DB8_0000_0000, 1), ("1::", 0x0001_0000_0000_0000, 0),
        ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
        ("2001:DB8::a:B", 0x2001_0DB8_0000_0000, 0xA_000B), ("::ffff:192.0.2.1", 0, 0xFFFF_C000_0201),
        ("64:ff9b::192.0.2.1", 0x0064_FF9B_0000_0000, 0xC000_0201),
        ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
    ])
    func `valid addresses are parsed`(text: String, high: UInt64, low: UInt64) {
        #expect(IPAddress(text) == IPAddress(high: high, low: low))
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:127.0.0.1", "127.0.0.1"), ("::", "::"), ("0:0::1", "::1"),
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1::", "1::"),
        ("1:2:3:4:5:6:0:8", "1:2:3:4:5:6:0:8"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"),
    ])
    func `an address has one text, which is parsed again`(text: String, expected: String) throws {
        let address = try #require(IPAddress(text))
        #expect("\(address)" == expected)
        #expect(IPAddress("\(address)") == address)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.", ".1.2.3", "1.2.3.+4", "1.2.3.0004", "a.b.c.d",
        ":", ":::", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1%eth0",
        "[::1]", "1.2.3.4::", "1:2:3:4:5:6:7:8::", "::1.2.3.4.5", "1:2:3:4:5:6:7:1.2.3.4", "fe80::-1", "::1:",
    ])
    func `invalid addresses are refused`(text: String) { #expect(IPAddress(text) == nil) }

    @Test func `this machine's own addresses are recognised`() {
        for text in ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"] {
            #expect(IPAddress(text)?.isLoopback == true, "\(text)")
        }
        for text in ["128.0.0.1", "126.255.255.255", "::2", "::", "0.0.0.0"] {
            #expect(IPAddress(text)?.isLoopback == false, "\(text)")
        }
    }

    @Test func `an IPv4 client is identified by its address, and an IPv6 client by its 64-bit network`() {
        #expect(IPAddress("192.0.2.1")?.site == IPAddress("192.0.2.1"))
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.site == IPAddress("2001:db8:1:2::"))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2", "11.0.0.0"), ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
        ("192.0.2.4/30", "::ffff:192.0.2.7", "192.0.2.8"), ("2001:db8::/32", "2001:db8:9::1", "2001:db9::"),
        ("2001:db8::/65", "2001:db8::7fff:ffff:ffff:ffff", "2001:db8:0:0:8000::"),
        ("::1", "::1", "127.0.0.1"), ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
        ("fe80::/10", "febf::1", "fec0::1"),
    ])
    func `a network contains exactly its own addresses`(text: String, inside: String, outside: String)
        throws
    {
        let network = try #require(IPNetwork(text))
        #expect(network.text == text)
        #expect(network.contains(try #require(IPAddress(inside))))
        #expect(!network.contains(try #require(IPAddress(outside))))
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/8/8", "10.0.0.0/+8", "10/8", "x",
    ])
    func `an invalid network is refused`(text: String) { #expect(IPNetwork(text) == nil) }
}
