import Foundation
import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import Testing
import pushsink

@Suite struct OAuthSignerTests {
    private func account() throws -> FCMServiceAccount {
        try FCMServiceAccount(json: try Gateway.file(CertificateSet.Name.serviceAccount))
    }

    @Test
    func `an assertion has the account's claims, is valid for an hour and is signed with the account's key`()
        throws
    {
        let account = try account()
        let assertion = try OAuthSigner(account).assertion(at: WallTime(secondsSince1970: 1_800_000_000))
        let parts = assertion.split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let claims = try #require(
            try JSONSerialization.jsonObject(with: Self.decoded(parts[1])) as? [String: Any])
        #expect(claims["iss"] as? String == account.clientEmail)
        #expect(claims["aud"] as? String == account.tokenURI)
        #expect(claims["iat"] as? Int == 1_800_000_000)
        #expect(claims["exp"] as? Int == 1_800_003_600)
        // The signature of a 2048-bit RSA key.
        #expect(Self.decoded(parts[2]).count == 256)
    }

    @Test func `a key that is not RSA is refused without revealing any part of the key`() throws {
        var account = try account()
        account.privateKeyPEM = String(
            decoding: try Gateway.file(
                CertificateSet.Name.providerKey(try Gateway.certificates().account.keyID)), as: UTF8.self)
        let error = #expect(throws: ConnectorError.self) { _ = try OAuthSigner(account) }
        #expect(error?.description.contains("RSA") == true)
        #expect(error?.description.contains("BEGIN") == false)
    }

    private static func decoded(_ text: String) -> Data {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
            ?? Data()
    }
}
