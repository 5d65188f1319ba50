import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct FCMCredentialTests {
    private func account(keyID: String? = "k1") throws -> FCMServiceAccount {
        try FCMServiceAccount(
            projectID: "news-1", clientEmail: "push@news-1.iam.gserviceaccount.com", privateKeyID: keyID,
            privateKeyPEM: "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n")
    }

    private func projectKey() throws -> FCMProjectKey {
        try FCMProjectKey("  AAAA:SECRET_-\r\n", fingerprint: "0123456789abcdef")
    }

    @Test func `a credential is unchanged after encoding and decoding`() throws {
        for credential in [
            FCMCredential.serviceAccount(try account()), .serviceAccount(try account(keyID: nil)),
            .projectKey(try projectKey()),
        ] { #expect(try FCMCredential(credential.opaque) == credential) }
    }

    @Test func `an account's name does not contain the secret, and neither does any text`() throws {
        let service = FCMCredential.serviceAccount(try account())
        let key = FCMCredential.projectKey(try projectKey())
        #expect(service.identity == "project:news-1:push@news-1.iam.gserviceaccount.com")
        #expect(key.identity == "projectkey:0123456789abcdef")
        for text in [
            "\(service)", "\(key)", String(reflecting: service), String(reflecting: key), "\(try account())",
            "\(try projectKey())", "\(key.opaque)",
        ] { #expect(!text.contains("SECRET")) }
    }

    @Test func `a project key is one line, from which surrounding white space is removed`() throws {
        #expect(try projectKey().key == "AAAA:SECRET_-")
        let long = String(repeating: "a", count: 1_025)
        for text in ["", " \n", "a b", "a\nb", "é", "{\"type\":\"service_account\"}", long] {
            #expect(throws: WireError.self) { try FCMProjectKey.key(in: text) }
        }
        for fingerprint in [
            "", "0123", "0123456789ABCDEF", String(repeating: "a", count: 65), "0123456789abcdeg",
        ] {
            #expect(throws: WireError.self) { try FCMProjectKey("a", fingerprint: fingerprint) }
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"kind":"token"}"#, #"{"kind":"serviceAccount"}"#,
        #"{"kind":"projectKey","key":1}"#,
        #"{"kind":"serviceAccount","project":"p","email":"a@b","keyId":7,"privateKey":"x","tokenURI":"y"}"#,
    ])
    func `bytes that do not encode such a credential are refused`(text: String) {
        #expect(throws: WireError.self) { try FCMCredential(OpaqueCredential(bytes: Array(text.utf8))) }
    }
}
