import CProbeShims
import PushCrypto
import TestSupport
import Testing

@Suite struct CryptoMemoryTests {
    /// The test runs in a separate process, because other tests allocate memory too.
    @Test func `no operation leaks memory, whether it succeeds or fails`() async {
        await #expect(processExitsWith: .success) {
            let elliptic = TestKey(.p256).pem
            let rsa = TestKey(.rsa(bits: 2_048)).pem
            let short = TestKey(.rsa(bits: 1_024)).pem
            func once() throws {
                let key = SymmetricKey([UInt8](repeating: 7, count: 32))
                var hash = SHA256()
                hash.update(HMACSHA256.code(for: [1], using: key))
                _ = hash.digest() + SHA256.digest(of: [1])
                let derived = HKDFSHA256.key(from: key, info: [1], count: 16)
                let cipher = AESBlockCipher(key: derived)
                _ = cipher.decrypt(cipher.encrypt(.init(high: 1, low: 2)))
                let box = AESGCM.seal([1, 2], using: key, associated: [3])
                _ = try AESGCM.open(box, using: key, associated: [3])
                _ = try? AESGCM.open(box, using: derived, associated: [3])
                _ = try ECDSAP256Key(pem: elliptic).signature(of: [1])
                _ = try RSASigningKey(pem: rsa).signature(of: [1])
                for text in [short, rsa, "", String(elliptic.prefix(100))] {
                    _ = try? ECDSAP256Key(pem: text)
                }
                for text in [short, elliptic, String(rsa.prefix(1_000))] { _ = try? RSASigningKey(pem: text) }
            }
            // Memory that libcrypto and malloc keep for later use is allocated first.
            for _ in 0..<300 { try once() }
            let before = push_probe_allocated()
            for _ in 0..<300 { try once() }
            // All objects in libcrypto are larger.
            #expect(push_probe_allocated() < before + 300 * 48)
        }
    }
}
