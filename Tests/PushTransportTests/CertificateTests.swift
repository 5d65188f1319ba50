import PushTransport
import TestTLS
import Testing

extension TransportTests {
    @Suite struct CertificateTests {
        let authority = TestAuthority()

        @Test func `a certificate's subject, bundle id and validity are read`() throws {
            let ours = authority.issue(
                "Apple Push Services: com.example.app", userID: "com.example.app", days: -1...30)
            let certificate = try Certificate(pem: ours.certificatePEM)
            #expect(certificate.subject == "UID=com.example.app,CN=Apple Push Services: com.example.app")
            #expect(certificate.userID == "com.example.app")
            #expect(certificate.commonName == "Apple Push Services: com.example.app")
            #expect(certificate.notAfter - certificate.notBefore == 31 * 86_400)
            #expect(certificate.fingerprint.count == 32)
            let other = try Certificate(pem: authority.issue().certificatePEM)
            #expect(other.userID == nil && other.fingerprint != certificate.fingerprint)
        }

        @Test func `a file that is not a certificate is refused`() {
            for bytes in [[], Array("-----BEGIN CERTIFICATE-----\n".utf8), authority.identity.keyPEM] {
                #expect(throws: TransportError.self) { try Certificate(pem: bytes) }
            }
        }

        @Test func `a key matches only its own certificate`() throws {
            let (ours, other) = (authority.issue(), authority.issue())
            try Certificate.check(chainPEM: ours.certificatePEM + authority.pem, keyPEM: ours.keyPEM)
            #expect(failure(ours.certificatePEM, other.keyPEM) == .keyOfAnotherCertificate)
            #expect(failure(ours.certificatePEM, ours.certificatePEM) == .noKey)
            #expect(failure(ours.keyPEM, ours.keyPEM) == .noCertificate)
            #expect(failure([], ours.keyPEM) == .noCertificate)
            #expect(failure(ours.certificatePEM, ours.keyPEM(password: "x")) == .keyIsEncrypted)
        }

        @Test func `a byte order mark is not part of a certificate or a key`() throws {
            let ours = authority.issue()
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            try Certificate.check(chainPEM: mark + ours.certificatePEM, keyPEM: mark + ours.keyPEM)
        }

        @Test func `an encrypted key is recognised as encrypted`() {
            let ours = authority.issue()
            #expect(Certificate.isEncrypted(keyPEM: ours.keyPEM(password: "x")))
            #expect(!Certificate.isEncrypted(keyPEM: ours.keyPEM))
            #expect(!Certificate.isEncrypted(keyPEM: []))
        }

        private func failure(_ chain: [UInt8], _ key: [UInt8]) -> IdentityError? {
            do {
                try Certificate.check(chainPEM: chain, keyPEM: key)
                return nil
            } catch {
                guard case .identity(let failure) = error.cause else { return nil }
                return failure
            }
        }
    }
}
