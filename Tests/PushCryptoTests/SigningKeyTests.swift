import PushCrypto
import TestSupport
import Testing

@Suite struct SigningKeyTests {
    private let text = Array("header.claims".utf8)

    @Test func `the public key verifies a P-256 signature from the key in each of the key's file forms`()
        throws
    {
        let made = TestKey(.p256)
        for pem in [made.pem, made.traditionalPEM, "A key of the shop\n" + made.pem] {
            let key = try ECDSAP256Key(pem: pem)
            for bytes in [text, [], [UInt8](repeating: 1, count: 100_000)] {
                let signature = try key.signature(of: bytes)
                #expect(made.verifiesES256(signature, of: bytes))
                #expect(!made.verifiesES256(signature, of: bytes + [0]))
                #expect(!TestKey(.p256).verifiesES256(signature, of: bytes))
            }
        }
    }

    /// R and S are shorter than 32 bytes in one of 128 signatures.
    @Test func `each P-256 signature has 64 bytes and can be verified`() throws {
        let made = TestKey(.p256)
        let key = try ECDSAP256Key(pem: made.pem)
        for _ in 0..<2_000 {
            let signature = try key.signature(of: text)
            #expect(signature.count == ECDSAP256Key.signatureBytes)
            #expect(made.verifiesES256(signature, of: text))
        }
    }

    @Test(arguments: [2_048, 3_072])
    func `the public key verifies an RSA signature from the key in each of the key's file forms`(bits: Int)
        throws
    {
        let made = TestKey(.rsa(bits: bits))
        for pem in [made.pem, made.traditionalPEM] {
            let signature = try RSASigningKey(pem: pem).signature(of: text)
            #expect(signature.count == bits / 8)
            #expect(made.verifiesRS256(signature, of: text))
            #expect(!made.verifiesRS256(signature, of: text + [0]))
        }
    }

    @Test(arguments: [TestKey.Kind.p384, .ed25519, .rsa(bits: 2_048)])
    func `a key that is not a P-256 key is refused as a P-256 key`(kind: TestKey.Kind) {
        #expect(throws: SigningKeyError.wrongKind) { try ECDSAP256Key(pem: TestKey(kind).pem) }
    }

    @Test(arguments: [TestKey.Kind.p256, .p384, .ed25519])
    func `a key that is not an RSA key is refused as an RSA key`(kind: TestKey.Kind) {
        #expect(throws: SigningKeyError.wrongKind) { try RSASigningKey(pem: TestKey(kind).pem) }
    }

    @Test func `an RSA key of less than 2048 bits is refused`() {
        #expect(throws: SigningKeyError.wrongSize) { try RSASigningKey(pem: TestKey(.rsa(bits: 1_024)).pem) }
    }

    @Test func `a key that is protected by a password is refused without asking on the terminal`() {
        #expect(throws: SigningKeyError.encrypted) { try ECDSAP256Key(pem: TestKey(.p256).encryptedPEM) }
        #expect(throws: SigningKeyError.encrypted) {
            try RSASigningKey(pem: TestKey(.rsa(bits: 2_048)).encryptedPEM)
        }
    }

    @Test func `a damaged PEM text is refused, and the error contains no part of the text`() {
        let pem = TestKey(.p256).pem
        let lines = pem.split(separator: "\n").map(String.init)
        let half = String(pem.prefix(pem.count / 2))
        let changed =
            "\(lines[0])\n\(String(lines[1].reversed()))\n" + lines[2...].joined(separator: "\n") + "\n"
        let texts = [
            "", "hello", half, changed, pem.replacing("PRIVATE KEY", with: "CERTIFICATE"),
            pem.replacing("PRIVATE KEY", with: "PUBLIC KEY"), pem.replacing("\n", with: " "),
            String(pem.dropFirst(1)),
        ]
        for text in texts {
            for read in [
                { _ = try ECDSAP256Key(pem: text) } as () throws -> Void,
                { _ = try RSASigningKey(pem: text) },
            ] {
                let error = #expect(throws: SigningKeyError.self) { try read() }
                #expect(error == .unreadable)
                #expect(error.map { !"\($0)".contains(lines[1].prefix(8)) } == true)
            }
        }
    }

    @Test
    func `an RSA key with a changed line is refused, unless the public key still verifies its signatures`()
        throws
    {
        let made = TestKey(.rsa(bits: 2_048))
        let lines = made.pem.split(separator: "\n").map(String.init)
        var refused = 0
        for line in 1..<lines.count - 1 {
            var changed = lines
            changed[line] = String(lines[line].reversed())
            do throws(SigningKeyError) {
                let key = try RSASigningKey(pem: changed.joined(separator: "\n") + "\n")
                #expect(made.verifiesRS256(try key.signature(of: text), of: text))
            } catch {
                refused += 1
                #expect(error == .unreadable)
            }
        }
        // A key in PKCS #8 has about six lines that contain the public part.
        #expect(refused > 5)
    }
}
