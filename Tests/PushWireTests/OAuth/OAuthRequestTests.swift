import Foundation
import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct OAuthRequestTests {
    private func account(keyID: String?) throws -> FCMServiceAccount {
        try FCMServiceAccount(
            projectID: "p", clientEmail: "push@p.iam.gserviceaccount.com", privateKeyID: keyID,
            privateKeyPEM: "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n",
            tokenURI: "https://127.0.0.1:8443/token")
    }

    private func decoded(_ part: Substring) throws -> NSDictionary {
        var base64 = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        let data = try #require(Data(base64Encoded: base64))
        return try #require(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
    }

    @Test func `an assertion consists of header, claims and signature according to RFC 7515`() throws {
        let input = OAuthRequest.signingInput(
            try account(keyID: "k1"), issuedAt: WallTime(secondsSince1970: 1_795_255_200))
        let signature = (0..<256).map { UInt8($0) }
        let assertion = try #require(OAuthRequest.assertion(signingInput: input, signature: signature))
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        #expect(try decoded(parts[0]) == ["alg": "RS256", "typ": "JWT", "kid": "k1"])
        #expect(
            try decoded(parts[1]) == [
                "iss": "push@p.iam.gserviceaccount.com",
                "scope": "https://www.googleapis.com/auth/firebase.messaging",
                "aud": "https://127.0.0.1:8443/token", "iat": 1_795_255_200, "exp": 1_795_258_800,
            ])
        let plain = Data(signature).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        #expect(parts[2] == plain)
        #expect(String(decoding: input, as: UTF8.self) == parts[0] + "." + parts[1])
    }

    @Test func `if a key has no id, the header names no key`() throws {
        let input = OAuthRequest.signingInput(
            try account(keyID: nil), issuedAt: WallTime(secondsSince1970: 0))
        let header = try #require(String(decoding: input, as: UTF8.self).split(separator: ".").first)
        #expect(try decoded(header) == ["alg": "RS256", "typ": "JWT"])
    }

    @Test(arguments: [0, 64, 255, 1_025])
    func `a signature that is not an RSA signature produces no assertion`(count: Int) {
        let signature = [UInt8](repeating: 1, count: count)
        #expect(OAuthRequest.assertion(signingInput: [], signature: signature) == nil)
    }

    @Test func `the form contains the requested grant type`() throws {
        let body = String(decoding: OAuthRequest.body(assertion: "a.b-_.c"), as: UTF8.self)
        let items = try #require(URLComponents(string: "?" + body)?.queryItems)
        #expect(
            items == [
                URLQueryItem(name: "grant_type", value: "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                URLQueryItem(name: "assertion", value: "a.b-_.c"),
            ])
    }
}
