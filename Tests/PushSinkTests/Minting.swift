import CProbeShims
import Foundation
import pushsink

/// Creates tokens as a provider does, with code written by hand: these tests must not use the engine's code.
extension ProviderTokens {
    static func mint(key: Key, issuedAt: Int, algorithm: String = "ES256") -> String {
        let head = Base64URL.encode(Array(#"{"alg":"\#(algorithm)","kid":"\#(key.id)"}"#.utf8))
        let claims = Base64URL.encode(Array(#"{"iss":"\#(key.team)","iat":\#(issuedAt)}"#.utf8))
        let signed = head + "." + claims
        var signature = [UInt8](repeating: 0, count: 64)
        let bytes = Array(signed.utf8)
        _ = push_probe_sign_es256(UnsafeRawPointer(key.raw), bytes, bytes.count, &signature)
        return signed + "." + Base64URL.encode(signature)
    }
}

extension Assertion {
    func mint(_ claims: String, algorithm: String = "RS256", keyID: String? = nil) -> String {
        let id = keyID ?? account.privateKeyID
        let head = #"{"alg":"\#(algorithm)","typ":"JWT","kid":"\#(id)"}"#
        let signed = Base64URL.encode(Array(head.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        var signature = [UInt8](repeating: 0, count: 1024)
        let bytes = Array(signed.utf8)
        let count = push_probe_sign_rs256(
            UnsafeRawPointer(key), bytes, bytes.count, &signature, signature.count)
        return signed + "." + Base64URL.encode(Array(signature[..<count]))
    }
}

extension Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
