import Foundation
import GatewayAPNs
import PushModel
import PushWire
import Testing

@Suite struct APNsProviderTokenTests {
    private func decoded(_ part: Substring) throws -> [String: Any] {
        var base64 = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        let data = try #require(Data(base64Encoded: base64))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func `a token consists of header, claims and signature according to RFC 7515`() throws {
        let input = APNsProviderToken.signingInput(
            keyID: "ABC123DEFG", teamID: "TEAM012345", issuedAt: WallTime(secondsSince1970: 1_795_255_200))
        let signature = (0..<64).map { UInt8($0 * 4 + 3) }
        let token = try #require(APNsProviderToken.token(signingInput: input, signature: signature))
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        #expect(try decoded(parts[0]) as NSDictionary == ["alg": "ES256", "kid": "ABC123DEFG"])
        #expect(try decoded(parts[1]) as NSDictionary == ["iss": "TEAM012345", "iat": 1_795_255_200])
        let plain = Data(signature).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        #expect(parts[2] == plain)
        #expect(String(decoding: input, as: UTF8.self) == parts[0] + "." + parts[1])
        #expect(APNsProviderToken.authorization(token) == "bearer " + token)
    }

    @Test(arguments: [0, 63, 65, 70, 72])
    func `a signature that does not have 64 bytes produces no token`(count: Int) {
        #expect(
            APNsProviderToken.token(signingInput: [], signature: [UInt8](repeating: 1, count: count)) == nil)
    }
}
