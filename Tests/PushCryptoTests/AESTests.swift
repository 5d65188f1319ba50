import PushCrypto
import Testing

@Suite struct AESBlockCipherTests {
    private typealias Block = AESBlockCipher.Block

    private static func block(_ text: String) -> Block {
        let words = Hex.bytes(text)
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return Block(high: word(words[..<8]), low: word(words[8...]))
    }

    /// FIPS 197 C.1 and C.3, and the first block of SP 800-38A F.1.1 and F.1.5.
    @Test(arguments: [
        (
            "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
            "69c4e0d86a7b0430d8cdb78070b4c55a"
        ),
        (
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"
        ),
        (
            "2b7e151628aed2a6abf7158809cf4f3c", "6bc1bee22e409f96e93d7e117393172a",
            "3ad77bb40d7a3660a89ecaf32466ef97"
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "6bc1bee22e409f96e93d7e117393172a", "f3eed1bdb5d2a03c064b5a7e3db181f8"
        ),
    ])
    func `encrypting and decrypting a block gives the values in the standard's example`(
        key: String, plain: String, sealed: String
    ) {
        let cipher = AESBlockCipher(key: SymmetricKey(Hex.bytes(key)))
        #expect(cipher.encrypt(Self.block(plain)) == Self.block(sealed))
        #expect(cipher.decrypt(Self.block(sealed)) == Self.block(plain))
    }

    /// The output blocks of SP 800-38A F.5.1.
    @Test func `encrypted counter blocks are the output blocks of counter mode`() {
        let cipher = AESBlockCipher(key: SymmetricKey(Hex.bytes("2b7e151628aed2a6abf7158809cf4f3c")))
        var blocks: [AESBlockCipher.Block] = [Self.block(String(repeating: "00", count: 16))]
        cipher.encrypt(4, from: Self.block("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), into: &blocks)
        #expect(
            blocks
                == [
                    "ec8cdf7398607cb0f2d21675ea9ea1e4", "362b7c3c6773516318a077d7fc5073ae",
                    "6a2cc3787889374fbeb4c81b17ba6c44", "e89c399ff0f198c6d40a31db156cabfe",
                ].map(Self.block))
        cipher.encrypt(0, from: Self.block("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), into: &blocks)
        #expect(blocks.isEmpty)
    }

    @Test func `blocks encrypted in a sequence equal blocks encrypted singly, and the low half wraps around`()
    {
        let cipher = AESBlockCipher(key: SymmetricKey([UInt8](repeating: 7, count: 16)))
        var blocks: [AESBlockCipher.Block] = []
        cipher.encrypt(256, from: .init(high: 3, low: .max - 100), into: &blocks)
        for (index, block) in blocks.enumerated() {
            #expect(block == cipher.encrypt(.init(high: 3, low: .max - 100 &+ UInt64(index))))
        }
    }

    @Test func `threads can share a cipher`() async {
        let cipher = AESBlockCipher(key: SymmetricKey([UInt8](repeating: 7, count: 16)))
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<4 {
                group.addTask {
                    (0..<5_000).allSatisfy { number in
                        let block = AESBlockCipher.Block(high: UInt64(task), low: UInt64(number))
                        return cipher.decrypt(cipher.encrypt(block)) == block
                    }
                }
            }
            for await isSame in group { #expect(isSame) }
        }
    }
}

@Suite struct AESGCMTests {
    private static let key = SymmetricKey([UInt8](0..<32))

    /// Test cases 1 to 4 and 13 to 16 of the specification of GCM (McGrew and Viega), which NIST also uses.
    @Test(arguments: [
        (
            String(repeating: "00", count: 16), String(repeating: "00", count: 12), "", "", "",
            "58e2fccefa7e3061367f1d57a4e7455a"
        ),
        (
            String(repeating: "00", count: 16), String(repeating: "00", count: 12),
            String(repeating: "00", count: 16), "", "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf"
        ),
        (key128, nonce, plain, "", sealed128, "4d5c2af327cd64a62cf35abd2ba6fab4"),
        (key128, nonce, short, associated, shortSealed128, "5bc94fbc3221a5db94fae95ae7121a47"),
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "", "",
            "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12),
            String(repeating: "00", count: 16), "", "cea7403d4d606b6e074ec5d3baf39d18",
            "d0d1c8a799996bf0265b98b5d48ab919"
        ),
        (key128 + key128, nonce, plain, "", sealed256, "b094dac5d93471bdec1a502270e3cc6c"),
        (key128 + key128, nonce, short, associated, shortSealed256, "76fc6ece0f4e1768cddf8853bb2d551b"),
    ])
    func `opening a box gives the value in the standard's example`(
        key: String, nonce: String, plain: String, associated: String, sealed: String, tag: String
    ) throws {
        let box = Hex.bytes(nonce + sealed + tag)
        let opened = try AESGCM.open(
            box, using: SymmetricKey(Hex.bytes(key)), associated: Hex.bytes(associated))
        #expect(opened == Hex.bytes(plain))
    }

    private static let key128 = "feffe9928665731c6d6a8f9467308308"
    private static let nonce = "cafebabefacedbaddecaf888"
    private static let associated = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
    private static let plain =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
        + "b16aedf5aa0de657ba637b391aafd255"
    private static let short = String(plain.dropLast(8))
    private static let sealed128 =
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
        + "1ba30b396a0aac973d58e091473f5985"
    private static let shortSealed128 = String(sealed128.dropLast(8))
    private static let sealed256 =
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
        + "c5f61e6393ba7a0abcc9f662898015ad"
    private static let shortSealed256 = String(sealed256.dropLast(8))

    @Test(arguments: [0, 1, 15, 16, 17, 1_000, 100_000])
    func `a sealed value can only be opened with the same key and the same associated data`(count: Int) throws
    {
        let bytes = [UInt8](repeating: 9, count: count)
        let box = AESGCM.seal(bytes, using: Self.key, associated: [1, 2])
        #expect(box.count == count + 28)
        #expect(box != AESGCM.seal(bytes, using: Self.key, associated: [1, 2]))
        #expect(try AESGCM.open(box, using: Self.key, associated: [1, 2]) == bytes)
        for associated in [[], [1], [1, 2, 3]] as [[UInt8]] {
            #expect(throws: AESGCM.OpeningError.notAuthentic) {
                try AESGCM.open(box, using: Self.key, associated: associated)
            }
        }
        #expect(throws: AESGCM.OpeningError.notAuthentic) {
            try AESGCM.open(box, using: SymmetricKey([UInt8](1..<33)), associated: [1, 2])
        }
    }

    @Test func `a box that is truncated or has a changed bit cannot be opened`() throws {
        let box = AESGCM.seal(Array("secret".utf8), using: Self.key, associated: [1])
        for count in 0..<box.count {
            #expect(throws: count < 28 ? AESGCM.OpeningError.truncated : .notAuthentic) {
                try AESGCM.open(Array(box.prefix(count)), using: Self.key, associated: [1])
            }
        }
        for bit in 0..<box.count * 8 {
            var changed = box
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: AESGCM.OpeningError.notAuthentic) {
                try AESGCM.open(changed, using: Self.key, associated: [1])
            }
        }
    }
}
