import CProbeShims
import Foundation

/// JSON Web Tokens and their parts, written by code that is not the engine's.
package enum WebToken {
    package static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    package static func digest(_ text: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(text.utf8)
        precondition(unsafe push_probe_sha256(bytes, bytes.count, &digest), "OpenSSL cannot digest")
        return digest
    }

    /// - Parameters:
    ///   - head: The header, as JSON.
    ///   - claims: The claims, as JSON.
    package static func make(_ head: String, _ claims: String, sign: ([UInt8]) -> [UInt8]) -> String {
        let input = "\(text(Array(head.utf8))).\(text(Array(claims.utf8)))"
        return "\(input).\(text(sign(Array(input.utf8))))"
    }
}
