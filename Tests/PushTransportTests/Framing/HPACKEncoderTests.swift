import PushTransport
import TestSupport
import Testing

/// Tests of the encoder against RFC 7541, appendix C, as far as it applies to an encoder without Huffman
/// coding, and against nghttp2's decoder.
@Suite struct HPACKEncoderTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        var digits = hex.filter { !$0.isWhitespace }[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    private static func encode(
        _ fields: [(String, String)], as literal: HPACKEncoder.Literal = .inserted,
        with encoder: inout HPACKEncoder
    ) -> [UInt8] {
        var block: [UInt8] = []
        encoder.appendUpdates(to: &block)
        for (name, value) in fields {
            encoder.append(Array(name.utf8), Array(value.utf8), else: literal, to: &block)
        }
        return block
    }

    @Test(arguments: [(10, 5, "0a"), (1337, 5, "1f9a0a"), (42, 8, "2a"), (30, 5, "1e"), (31, 5, "1f00")])
    func `C 1: integers are encoded as in the example`(value: Int, prefix: Int, hex: String) {
        var block: [UInt8] = []
        HPACKInteger.append(value, prefix: prefix, to: &block)
        #expect(block == Self.bytes(hex))
    }

    @Test func `C 2: literals in each form of indexing, and an indexed field, are encoded as in the example`()
    {
        var encoder = HPACKEncoder()
        #expect(
            Self.encode([("custom-key", "custom-header")], with: &encoder)
                == Self.bytes("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572"))
        #expect(encoder.tableBytes == 55)
        encoder = HPACKEncoder()
        #expect(
            Self.encode([(":path", "/sample/path")], as: .plain, with: &encoder)
                == Self.bytes("040c 2f73 616d 706c 652f 7061 7468"))
        #expect(
            Self.encode([("password", "secret")], as: .neverIndexed, with: &encoder)
                == Self.bytes("1008 7061 7373 776f 7264 0673 6563 7265 74"))
        #expect(Self.encode([(":method", "GET")], with: &encoder) == [0x82])
        #expect(encoder.tableBytes == 0)
    }

    @Test func `C 3: consecutive requests without Huffman coding are encoded as in the example`() {
        var encoder = HPACKEncoder()
        let common = [
            (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com"),
        ]
        #expect(
            Self.encode(common, with: &encoder)
                == Self.bytes("8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d"))
        #expect(encoder.tableBytes == 57)
        #expect(
            Self.encode(common + [("cache-control", "no-cache")], with: &encoder)
                == Self.bytes("8286 84be 5808 6e6f 2d63 6163 6865"))
        #expect(encoder.tableBytes == 110)
        let third = [
            (":method", "GET"), (":scheme", "https"), (":path", "/index.html"),
            (":authority", "www.example.com"), ("custom-key", "custom-value"),
        ]
        #expect(
            Self.encode(third, with: &encoder)
                == Self.bytes(
                    "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65"))
        #expect(encoder.tableBytes == 164)
    }

    @Test func `C 5: fields that evict older fields from a table of 256 bytes are encoded as in the example`()
    {
        var encoder = HPACKEncoder()
        encoder.limitTable(to: 256)
        let first = [
            (":status", "302"), ("cache-control", "private"), ("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
            ("location", "https://www.example.com"),
        ]
        // The update to 256 (3f e1 01) comes first. The decoder in the RFC knows the size from another
        // source.
        #expect(
            Self.encode(first, with: &encoder)
                == Self.bytes(
                    """
                    3fe101 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230
                    3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70
                    6c65 2e63 6f6d
                    """))
        #expect(encoder.tableBytes == 222)
        var second = first
        second[0].1 = "307"
        #expect(Self.encode(second, with: &encoder) == Self.bytes("4803 3330 37c1 c0bf"))
        #expect(encoder.tableBytes == 222)
        let third = [
            (":status", "200"), ("cache-control", "private"), ("date", "Mon, 21 Oct 2013 20:13:22 GMT"),
            ("location", "https://www.example.com"), ("content-encoding", "gzip"),
            ("set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"),
        ]
        #expect(
            Self.encode(third, with: &encoder)
                == Self.bytes(
                    """
                    88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0
                    5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851
                    5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31
                    """))
        #expect(encoder.tableBytes == 215)
    }

    @Test func `a table that was lowered and raised is announced with its lowest and its last size`() {
        var encoder = HPACKEncoder()
        _ = Self.encode([("a", "b")], with: &encoder)
        encoder.limitTable(to: 0)
        encoder.limitTable(to: 4096)
        #expect(encoder.owesUpdate && encoder.tableBytes == 0)
        #expect(Self.encode([("a", "b")], with: &encoder) == Self.bytes("20 3fe11f 40 0161 0162"))
        encoder.limitTable(to: .max)
        #expect(!encoder.owesUpdate && encoder.maxTableBytes == 4096)
    }

    @Test(arguments: 1...20) func `nghttp2 decodes every encoded block, whatever happens to the table`(
        seed: UInt64
    ) {
        var chance = SeededRandom(seed: seed)
        var encoder = HPACKEncoder()
        let inflater = ReferenceInflater()
        for _ in 0..<400 {
            if chance.below(10) == 0 {
                let bytes = [0, 1, 40, 100, 300, 4096, 65_536][chance.below(7)]
                encoder.limitTable(to: UInt32(bytes))
                inflater.limitTable(to: bytes)
            }
            var block: [UInt8] = []
            var expected: [ReferenceInflater.Field] = []
            encoder.appendUpdates(to: &block)
            for _ in 0..<chance.below(8) {
                let name = [":path", "apns-topic", "authorization", "x", "content-type"][chance.below(5)]
                let value = String(
                    repeating: "v", count: [0, 1, 7, 126, 127, 128, 300, 5_000][chance.below(8)])
                let literal: HPACKEncoder.Literal = [.inserted, .plain, .neverIndexed][chance.below(3)]
                encoder.append(Array(name.utf8), Array(value.utf8), else: literal, to: &block)
                expected.append(.init(name: name, value: value, isNeverIndexed: literal == .neverIndexed))
            }
            #expect(inflater.inflate(block) == expected, "seed \(seed)")
            #expect(inflater.tableBytes == encoder.tableBytes)
        }
    }
}
