import PushCrypto
import TestSupport
import Testing

@Suite struct PublicKeyTests {
    private let text = Array("header.claims".utf8)

    private static func rsa(_ key: TestKey) -> PublicKey {
        let (modulus, exponent) = key.publicNumbers
        return .rsa(modulus: modulus, exponent: exponent)
    }

    private static func p256(_ key: TestKey) -> PublicKey {
        let (x, y) = key.publicNumbers
        return .p256(x: x, y: y)
    }

    @Test(arguments: [2_048, 3_072]) func `an RSA key verifies its own signatures only`(bits: Int) throws {
        let made = TestKey(.rsa(bits: bits))
        let key = Self.rsa(made)
        var signature = try RSASigningKey(pem: made.pem).signature(of: text)
        #expect(key.verifies(signature, of: text) && key.verifies(made.signature(of: text), of: text))
        #expect(!key.verifies(signature, of: text + [0]) && !key.verifies(signature, of: []))
        #expect(!Self.rsa(TestKey(.rsa(bits: bits))).verifies(signature, of: text))
        for wrong in [[], [0] + signature, signature + [0], signature.dropLast()] as [[UInt8]] {
            #expect(!key.verifies(wrong, of: text))
        }
        signature[7] ^= 1
        #expect(!key.verifies(signature, of: text))
    }

    @Test func `a P-256 key verifies its own signatures only`() throws {
        let made = TestKey(.p256)
        let key = Self.p256(made)
        let signer = try ECDSAP256Key(pem: made.pem)
        for _ in 0..<200 { #expect(key.verifies(try signer.signature(of: text), of: text)) }
        var signature = made.signature(of: text)
        #expect(key.verifies(signature, of: text))
        #expect(!key.verifies(signature, of: text + [0]))
        #expect(!Self.p256(TestKey(.p256)).verifies(signature, of: text))
        for wrong in [[], signature + [0], signature.dropLast(), [UInt8](repeating: 0, count: 64)] {
            #expect(!key.verifies(Array(wrong), of: text))
        }
        signature[40] ^= 1
        #expect(!key.verifies(signature, of: text))
    }

    @Test func `a key that is not sound verifies nothing`() {
        let short = TestKey(.rsa(bits: 1_024))
        #expect(!Self.rsa(short).verifies(short.signature(of: text), of: text))
        let made = TestKey(.rsa(bits: 2_048))
        let (modulus, _) = made.publicNumbers
        let signature = made.signature(of: text)
        for exponent in [[], [0], [1], [2], [UInt8](repeating: 0xFF, count: 9)] as [[UInt8]] {
            #expect(!PublicKey.rsa(modulus: modulus, exponent: exponent).verifies(signature, of: text))
        }
        let long = [UInt8](repeating: 0xFF, count: 1_025)
        #expect(!PublicKey.rsa(modulus: long, exponent: [3]).verifies(long, of: text))
        let point = TestKey(.p256)
        var (x, y) = point.publicNumbers
        let pointSignature = point.signature(of: text)
        x[3] ^= 1
        #expect(!PublicKey.p256(x: x, y: y).verifies(pointSignature, of: text))
        y.removeLast()
        #expect(!PublicKey.p256(x: x, y: y).verifies(pointSignature, of: text))
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(!PublicKey.p256(x: zero, y: zero).verifies(pointSignature, of: text))
    }
}
