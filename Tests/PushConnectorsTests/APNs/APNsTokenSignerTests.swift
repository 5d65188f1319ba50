import Foundation
import GatewayAPNs
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct APNsTokenSignerTests {
    private static let start = MonotonicTime(nanoseconds: 5_000_000_000)
    private static let wall = WallTime(secondsSince1970: 1_795_262_400)

    private func signer(_ key: TestKey) throws -> APNsTokenSigner {
        try APNsTokenSigner(
            try APNsSigningKey(
                keyID: "KEYKEYKEY1", teamID: "TEAMTEAM01", privateKeyPEM: key.pem))
    }

    private func decode(_ text: Substring) throws -> Data {
        var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while base64.count % 4 != 0 { base64 += "=" }
        return try #require(Data(base64Encoded: base64))
    }

    @Test func `the token contains issuer and time, and the public key verifies the token`() throws {
        let key = TestKey(.p256)
        var signer = try signer(key)
        let authorization = try signer.renew(at: Self.start, wall: Self.wall)
        let words = authorization.split(separator: " ")
        #expect(words.first == "bearer")
        let parts = try #require(words.last).split(separator: ".")
        try #require(parts.count == 3)
        let header = try #require(try JSONSerialization.jsonObject(with: decode(parts[0])) as? [String: Any])
        let claims = try #require(try JSONSerialization.jsonObject(with: decode(parts[1])) as? [String: Any])
        #expect(header["alg"] as? String == "ES256")
        #expect(header["kid"] as? String == "KEYKEYKEY1")
        #expect(claims["iss"] as? String == "TEAMTEAM01")
        #expect(claims["iat"] as? Int == 1_795_262_400)
        #expect(key.verifiesES256(Array(try decode(parts[2])), of: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test func `a token is due initially and again after fifty minutes by the monotonic clock`() throws {
        var signer = try signer(TestKey(.p256))
        #expect(signer.isDue(at: Self.start))
        _ = try signer.renew(at: Self.start, wall: Self.wall)
        #expect(!signer.isDue(at: Self.start))
        #expect(!signer.isDue(at: Self.start.advanced(bySeconds: 50 * 60 - 1)))
        #expect(signer.isDue(at: Self.start.advanced(bySeconds: 50 * 60)))
    }

    @Test func `a token that is reported as expired can be renewed after twenty minutes, and not earlier`()
        throws
    {
        var signer = try signer(TestKey(.p256))
        #expect(signer.mayRenew(at: Self.start))
        _ = try signer.renew(at: Self.start, wall: Self.wall)
        #expect(!signer.mayRenew(at: Self.start.advanced(bySeconds: 20 * 60 - 1)))
        #expect(signer.mayRenew(at: Self.start.advanced(bySeconds: 20 * 60)))
        _ = try signer.renew(at: Self.start.advanced(bySeconds: 20 * 60), wall: Self.wall)
        #expect(!signer.mayRenew(at: Self.start.advanced(bySeconds: 21 * 60)))
        #expect(!signer.isDue(at: Self.start.advanced(bySeconds: 60 * 60)))
    }

    @Test func `a key on another curve is refused, and the error reveals no part of the key`() throws {
        let pem = TestKey(.p384).pem
        let key = try APNsSigningKey(keyID: "KEYKEYKEY1", teamID: "TEAMTEAM01", privateKeyPEM: pem)
        let error = #expect(throws: ConnectorError.self) { _ = try APNsTokenSigner(key) }
        #expect(error?.description.contains("KEYKEYKEY1") == true)
        #expect(error?.description.contains("PRIVATE KEY-----") == false)
    }
}
