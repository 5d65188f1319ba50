internal import PushCrypto
internal import PushWire

/// The public keys with which a provider signs (RFC 7517). Keys of other kinds are left out.
package struct ProviderKeys: Equatable, Sendable {
    /// The algorithms of signatures that are accepted (RFC 7518 §3.1). `none` is not accepted, and neither
    /// are algorithms with a shared secret.
    enum Algorithm: String {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    private struct Key: Equatable {
        var id: String?
        var algorithm: Algorithm
        var key: PublicKey
    }

    /// The maximum number of keys that are read.
    static let maxKeys = 100

    private let keys: [Key]

    /// - Returns: `nil` if the text is not a set of keys.
    package init?(json: [UInt8]) {
        guard case .array(let members)? = (try? JSONParser.parse(json))?["keys"] else { return nil }
        keys = members.prefix(Self.maxKeys).compactMap(Self.key)
    }

    /// Returns the key of a signature; `nil` if there is none.
    /// - Parameter id: `nil` if the signature names no key. The provider must then have only one of this
    ///   kind.
    func key(_ id: String?, for algorithm: Algorithm) -> PublicKey? {
        let found = keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
        return id == nil && found.count > 1 ? nil : found.first?.key
    }

    private static func key(_ member: JSONValue) -> Key? {
        if let use = member["use"], use != .string("sig") { return nil }
        func bytes(_ name: String) -> [UInt8]? {
            guard case .string(let text)? = member[name], text.utf8.count <= 2_048 else { return nil }
            return Base64URL.decode(text.utf8)
        }
        let (algorithm, key): (Algorithm, PublicKey)
        switch member["kty"] {
        case .string("RSA"):
            guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
            (algorithm, key) = (.rs256, .rsa(modulus: modulus, exponent: exponent))
        case .string("EC"):
            guard member["crv"] == .string("P-256"), let x = bytes("x"), let y = bytes("y"),
                [x.count, y.count].allSatisfy({ $0 == PublicKey.coordinateBytes })
            else { return nil }
            (algorithm, key) = (.es256, .p256(x: x, y: y))
        default: return nil
        }
        if let stated = member["alg"], stated != .string(algorithm.rawValue) { return nil }
        guard case .string(let id)? = member["kid"] else {
            return Key(id: nil, algorithm: algorithm, key: key)
        }
        return Key(id: id, algorithm: algorithm, key: key)
    }
}
