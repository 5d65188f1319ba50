import PushCrypto
import Testing

/// Stores from 0.7.0 and earlier contain values that another library created: swift-crypto 4.5. All bytes
/// here were created with that library, from a key with the bytes 0 to 31.
@Suite struct EarlierReleaseTests {
    private static let root = SymmetricKey([UInt8](0..<32))

    private static func key(_ purpose: String, _ count: Int) -> SymmetricKey {
        HKDFSHA256.key(from: root, info: Array("PushMTA \(purpose)".utf8), count: count)
    }

    private static func bytes(_ key: SymmetricKey) -> String {
        unsafe key.withUnsafeBytes { unsafe Hex.of($0) }
    }

    @Test(arguments: [
        ("sealing", "290b439180037fc94a5b410281858dea309f7d29b67c8acd77c86603a5f0e1d1"),
        ("ids", "d963c0807f60fc46d62ea946434053cf"),
        ("credential marks", "94905d5bf9282ada5fb0bb7a4a8dd35091f71620842a42097a17c1abce4c85f1"),
        ("mark", "8f1b35d277208e937df8cf0283957677"),
    ])
    func `the keys of an instance are the same as in earlier releases`(purpose: String, key: String) {
        #expect(Self.bytes(Self.key(purpose, key.count / 2)) == key)
    }

    @Test func `the key for integer ids is the same as in earlier releases`() {
        let key = HKDFSHA256.key(
            from: Self.key("ids", 16), info: Array("PushMTA integer ids".utf8), count: 16)
        #expect(Self.bytes(key) == "fa063b0c96dfcd9a2e20bd2878cfc8ca")
    }

    @Test(arguments: [
        (
            "a credential", "credential of app 7",
            "50aa3091c0a7bf159c3bc1d64463bb073e0c6e72c0dc7ae4bd81a6c12231526436074ec0760ba8e7"
        ),
        ("", "", "8049908220bd4039d054ef2971a49b181d7958fb2172a9dd1150ab3a"),
    ])
    func `a value that an earlier release sealed can still be opened`(
        text: String, associated: String, box: String
    ) throws {
        let opened = try AESGCM.open(
            Hex.bytes(box), using: Self.key("sealing", 32), associated: Array(associated.utf8))
        #expect(opened == Array(text.utf8))
    }

    @Test(arguments: [
        (7, 42, "71c75e7ad055cd281edfaae70954056c"), (7, 43, "3a067b25505f6b4a959c2bf6a857d1b1"),
        (0x7FFF_FFFF, UInt64(Int64.max), "130d5e868c9db8195f190e49ff78f877"),
        (1, 1, "658f9bf960cb918328e2710d86b72099"),
    ])
    func `a block is encrypted to the same bytes as in earlier releases`(
        high: UInt64, low: UInt64, bytes: String
    ) {
        let block = AESBlockCipher(key: Self.key("ids", 16)).encrypt(.init(high: high, low: low))
        #expect(Hex.of(Self.bytes(of: block)) == bytes)
    }

    /// These bytes were created in counter mode.
    @Test func `counter blocks are encrypted to the same bytes as in earlier releases`() {
        var blocks: [AESBlockCipher.Block] = []
        AESBlockCipher(key: Self.key("ids", 16)).encrypt(5, from: .init(high: 7, low: 41), into: &blocks)
        #expect(
            Hex.of(blocks.flatMap(Self.bytes))
                == "e2a77c04e76e1430b776087bee35b30571c75e7ad055cd281edfaae70954056c"
                + "3a067b25505f6b4a959c2bf6a857d1b1e61834c1b5b04cd7a6db71e299aaff97"
                + "60e86521e52a9d7a9a25ded6bcf0dcc7")
    }

    private static func bytes(of block: AESBlockCipher.Block) -> [UInt8] {
        [block.high, block.low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - $0 * 8)) }
        }
    }

    @Test func `the mark of a secret is the same as in earlier releases`() {
        #expect(
            Hex.of(HMACSHA256.code(for: Array("a secret".utf8), using: Self.key("credential marks", 32)))
                == "65529d648f9b6cd27cfc20ce50645bf29086eaf9f4712fdcbbb8556bb4377b83")
    }

    @Test func `the digest of a device's id is the same as in earlier releases`() {
        #expect(
            Hex.of(SHA256.digest(of: Array("device of app 7: abcdef".utf8)))
                == "276c4a644c4fb6641d8918af6b7099381d3aa83b466cac0733e4dd32dea0c447")
    }
}
