internal import FoundationEssentials

/// A JSON Web Token in its compact form (RFC 7515, section 7.1). Its contents are not verified.
struct JSONWebToken<Claims: Decodable> {
    struct Head: Decodable { let alg: String, kid: String? }

    let head: Head
    /// The claims; `nil` if they do not have the expected form.
    let claims: Claims?
    /// The bytes that the signature covers.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Returns `nil` if the text is not a token or has more than `limit` bytes.
    init?(_ text: some Collection<UInt8>, atMost limit: Int) {
        let parts = Array(text).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.count <= limit, parts.count == 3, let head = Base64URL.decode(parts[0]),
            let claims = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]),
            let named = try? JSONDecoder().decode(Head.self, from: Data(head))
        else { return nil }
        self.head = named
        self.claims = try? JSONDecoder().decode(Claims.self, from: Data(claims))
        signed = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
        self.signature = signature
    }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 7515 section 2).
package enum Base64URL {
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard !text.contains(where: "+/=".utf8.contains) else { return nil }
        let plain = text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 }
            .map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
        let padding = repeatElement(UInt8(ascii: "="), count: (4 - plain.count % 4) % 4)
        return Data(base64Encoded: Data(plain + padding)).map(Array.init)
    }
}
