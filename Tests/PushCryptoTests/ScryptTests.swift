import PushCrypto
import Testing

@Suite struct ScryptTests {
    /// RFC 7914 §12, except the last vector, which needs 1 GiB.
    @Test(arguments: [
        (
            "", "", 4, 1, 1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        (
            "password", "NaCl", 10, 8, 16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
        (
            "pleaseletmein", "SodiumChloride", 14, 8, 1,
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        ),
    ])
    func `a key equals the one in the standard's example`(
        password: String, salt: String, logN: Int, r: Int, p: Int, key: String
    ) throws {
        let cost = try #require(Scrypt.Cost(logN: logN, r: r, p: p))
        let derived = Scrypt.key(
            from: Array(password.utf8), salt: Array(salt.utf8), cost, count: key.utf8.count / 2)
        #expect(derived == Hex.bytes(key))
    }

    @Test func `a cost that needs more than 1 GiB, or that does not exist, is refused`() {
        #expect(Scrypt.Cost(logN: 20, r: 8, p: 1) != nil)
        for (logN, r, p) in [(20, 9, 1), (21, 1, 1), (0, 8, 1), (17, 0, 1), (17, 8, 0), (17, 8, 17)] {
            #expect(Scrypt.Cost(logN: logN, r: r, p: p) == nil)
        }
    }

    @Test func `secrets are equal only if all bytes are`() {
        #expect(SecretBytes.areEqual([], []) && SecretBytes.areEqual([1, 2], [1, 2]))
        #expect(!SecretBytes.areEqual([1, 2], [1, 3]) && !SecretBytes.areEqual([1, 2], [1, 2, 3]))
    }
}
