import GatewayAPNs
import PushModel
import PushWire
import Testing

@Suite struct APNsCredentialTests {
    private let key = "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n"
    private let certificatePEM = "-----BEGIN CERTIFICATE-----\nPUBLIC\n-----END CERTIFICATE-----\n"
    private let fingerprint = String(repeating: "0123456789abcdef", count: 4)

    private func token() throws -> APNsCredential {
        .token(try APNsSigningKey(keyID: "ABC123DEFG", teamID: "TEAM012345", privateKeyPEM: key))
    }

    private func certificate(notAfter: WallTime?, topics: [String]) throws -> APNsCredential {
        .certificate(
            try APNsCertificate(
                certificatePEM: certificatePEM, privateKeyPEM: key, fingerprint: fingerprint,
                notAfter: notAfter,
                topics: topics))
    }

    @Test func `a credential is unchanged after encoding and decoding`() throws {
        for credential in [
            try token(), try certificate(notAfter: nil, topics: []),
            try certificate(
                notAfter: WallTime(secondsSince1970: 1_795_255_200), topics: ["com.a", "com.a.voip"]),
        ] {
            #expect(try APNsCredential(credential.opaque) == credential)
        }
    }

    @Test func `an account's name does not contain the secret, and neither does any text`() throws {
        let credential = try token()
        #expect(credential.identity == "token:TEAM012345:ABC123DEFG")
        #expect(try certificate(notAfter: nil, topics: []).identity == "certificate:\(fingerprint)")
        let signingKey = try APNsSigningKey(keyID: "ABC123DEFG", teamID: "TEAM012345", privateKeyPEM: key)
        for text in [
            "\(credential)", String(reflecting: credential), "\(signingKey)", "\(credential.opaque)",
        ] {
            #expect(!text.contains("SECRET"))
        }
    }

    @Test(arguments: ["", "ABC123DEF", "ABC123DEFGH", "abc123defg", "ABC123DEF-", "ABC123DEFÉ"])
    func `an id that cannot be an Apple id is refused`(id: String) {
        #expect(throws: WireError.self) {
            try APNsSigningKey(keyID: id, teamID: "TEAM012345", privateKeyPEM: key)
        }
        #expect(throws: WireError.self) {
            try APNsSigningKey(keyID: "ABC123DEFG", teamID: id, privateKeyPEM: key)
        }
    }

    @Test func `files with other contents are refused`() {
        #expect(throws: WireError.self) {
            try APNsSigningKey(keyID: "ABC123DEFG", teamID: "TEAM012345", privateKeyPEM: certificatePEM)
        }
        #expect(throws: WireError.self) {
            try APNsCertificate(
                certificatePEM: key, privateKeyPEM: key, fingerprint: fingerprint, notAfter: nil, topics: [])
        }
        #expect(throws: WireError.self) {
            try APNsCertificate(
                certificatePEM: certificatePEM, privateKeyPEM: certificatePEM, fingerprint: fingerprint,
                notAfter: nil,
                topics: [])
        }
        #expect(throws: WireError.self) {
            try APNsCertificate(
                certificatePEM: certificatePEM, privateKeyPEM: key, fingerprint: "AB", notAfter: nil,
                topics: [])
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"kind":"fcm"}"#, #"{"kind":"token"}"#, #"{"kind":"token","keyId":1}"#,
    ])
    func `bytes that do not encode such a credential are refused`(text: String) {
        #expect(throws: WireError.self) { try APNsCredential(OpaqueCredential(bytes: Array(text.utf8))) }
    }

    @Test func `a certificate covers the topics that it names, or all topics if it names no topic`() throws {
        var certificate = try APNsCertificate(
            certificatePEM: certificatePEM, privateKeyPEM: key, fingerprint: fingerprint, notAfter: nil,
            topics: ["com.a"])
        #expect(certificate.covers(topic: "com.a"))
        #expect(!certificate.covers(topic: "com.b"))
        certificate.topics = []
        #expect(certificate.covers(topic: "com.b"))
    }
}
