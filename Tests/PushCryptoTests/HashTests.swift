import PushCrypto
import Testing

@Suite struct SHA256Tests {
    /// FIPS 180-4 and NIST's examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `a digest equals the one in the standard's example`(text: String, digest: String) {
        #expect(SHA256.digest(of: Array(text.utf8)) == Hex.bytes(digest))
    }

    @Test func `the digest of a million bytes is the same if they are added in pieces`() {
        let million = Hex.bytes("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        var hash = SHA256()
        for size in [0, 1, 63, 64, 65, 999_807] {
            hash.update([UInt8](repeating: 0x61, count: size))
        }
        #expect(hash.digest() == million)
        #expect(SHA256.digest(of: [UInt8](repeating: 0x61, count: 1_000_000)) == million)
    }

    @Test func `more bytes can be added after a digest has been read`() {
        var hash = SHA256()
        #expect(hash.digest() == SHA256.digest(of: []))
        hash.update(Array("ab".utf8))
        #expect(hash.digest() == SHA256.digest(of: Array("ab".utf8)))
        hash.update(Array("c".utf8))
        #expect(hash.digest() == SHA256.digest(of: Array("abc".utf8)))
        #expect(hash.digest() == SHA256.digest(of: Array("abc".utf8)))
    }
}

@Suite struct HMACSHA256Tests {
    /// RFC 4231 §4, except test case 5, which shortens the code.
    @Test(arguments: [
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", Hex.of("Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Hex.of("Jefe"), Hex.of("what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            "0102030405060708090a0b0c0d0e0f10111213141516171819", String(repeating: "cd", count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            String(repeating: "aa", count: 131),
            Hex.of("Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            String(repeating: "aa", count: 131),
            Hex.of(
                "This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm."),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func `an authentication code equals the one in the standard's example`(
        key: String, bytes: String, code: String
    ) {
        #expect(
            HMACSHA256.code(for: Hex.bytes(bytes), using: SymmetricKey(Hex.bytes(key))) == Hex.bytes(code))
    }

    @Test func `the key and the bytes may be empty`() {
        #expect(
            HMACSHA256.code(for: [], using: SymmetricKey([]))
                == Hex.bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
    }
}

@Suite struct HKDFSHA256Tests {
    /// RFC 5869 A.1 to A.3.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            Hex.of(0x00...0x4F), Hex.of(0x60...0xAF), Hex.of(0xB0...0xFF),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
        (
            String(repeating: "0b", count: 22), "", "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ])
    func `a derived key equals the one in the standard's example`(
        key: String, salt: String, info: String, derived: String
    ) {
        let wanted = Hex.bytes(derived)
        let found = HKDFSHA256.key(
            from: SymmetricKey(Hex.bytes(key)), salt: Hex.bytes(salt), info: Hex.bytes(info),
            count: wanted.count)
        #expect(unsafe found.withUnsafeBytes { unsafe Array($0) } == wanted)
    }

    @Test func `printing a key does not show its bytes`() {
        let key = SymmetricKey(Array("0123456789abcdef".utf8))
        #expect("\(key)" == "a key of 16 bytes")
        #expect(!String(reflecting: key).contains("0123"))
    }
}

enum Hex {
    static func bytes(_ text: String) -> [UInt8] {
        var (bytes, digits) = ([UInt8](), text[...])
        while !digits.isEmpty {
            bytes.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    static func of(_ text: String) -> String { of(text.utf8) }

    static func of(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
