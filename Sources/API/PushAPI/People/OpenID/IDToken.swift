package import PushConfig
internal import PushCrypto
package import PushModel
internal import PushWire

/// A verified ID token (OpenID Connect Core 1.0, §2 and §3.1.3.7): what a provider states about a person who
/// has just signed in.
package struct IDToken: Sendable {
    /// What the token must state.
    package struct Expectation: Sendable {
        package var issuer: String
        package var clientID: String
        package var nonce: String
        package var now: WallTime

        package init(issuer: String, clientID: String, nonce: String, now: WallTime) {
            (self.issuer, self.clientID, self.nonce, self.now) = (issuer, clientID, nonce, now)
        }
    }

    /// The reason why a token is not accepted.
    package enum Refusal: Error, Equatable, CustomStringConvertible {
        case malformed
        /// The algorithm, as the token states it.
        case algorithm(String)
        case unknownKey
        case signature
        case issuer
        case audience
        case expired
        case notYetValid
        case nonce

        package var description: String {
            switch self {
            case .malformed: "the ID token is not a JSON Web Token with the required claims"
            case .algorithm(let name):
                "the ID token is signed with \(name.printable(atMost: 20)); only RS256 and ES256 are accepted"
            case .unknownKey: "the ID token is signed with a key that the provider does not publish"
            case .signature: "the signature of the ID token is wrong"
            case .issuer: "the ID token is from another issuer"
            case .audience: "the ID token is for another client"
            case .expired: "the ID token has expired; compare the clocks of both machines"
            case .notYetValid: "the ID token is from the future; compare the clocks of both machines"
            case .nonce: "the ID token belongs to another attempt to sign in"
            }
        }
    }

    static let maxBytes = 32 << 10
    /// How far the provider's clock may differ from ours, in seconds.
    package static let leeway: Int64 = 60

    private let claims: JSONValue
    /// The time at which the person signed in to the provider; `nil` if the token does not state it.
    package let authenticated: WallTime?

    package init(
        _ text: String, keys: ProviderKeys, expecting expected: Expectation
    ) throws(Refusal) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maxBytes, parts.count == 3, let head = Self.json(parts[0]),
            let claims = Self.json(parts[1]), let signature = Base64URL.decode(parts[2]),
            // An extension that a token declares as critical must be understood (RFC 7515 §4.1.11).
            head["crit"] == nil
        else { throw .malformed }
        guard case .string(let name)? = head["alg"] else { throw .malformed }
        guard let algorithm = ProviderKeys.Algorithm(rawValue: name) else { throw .algorithm(name) }
        var id: String?
        if let member = head["kid"] {
            guard case .string(let text) = member else { throw .malformed }
            id = text
        }
        guard let key = keys.key(id, for: algorithm) else { throw .unknownKey }
        let signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
        guard key.verifies(signature, of: signed) else { throw .signature }
        try Self.check(claims, expected)
        self.claims = claims
        authenticated = Self.time(claims["auth_time"])
    }

    /// Returns the name of the person; `nil` if the token does not state it, or does not state that the
    /// provider has verified it.
    package func name(in claim: PersonNameClaim) -> String? {
        guard case .string(let name)? = claims[claim.rawValue], !name.isEmpty else { return nil }
        if claim == .email, claims["email_verified"] != .boolean(true) { return nil }
        return name
    }

    private static func check(_ claims: JSONValue, _ expected: Expectation) throws(Refusal) {
        guard case .string(let subject)? = claims["sub"], (1...255).contains(subject.utf8.count),
            let expires = time(claims["exp"]), let issued = time(claims["iat"])
        else { throw .malformed }
        guard claims["iss"] == .string(expected.issuer) else { throw .issuer }
        let client = JSONValue.string(expected.clientID)
        var audience = [claims["aud"] ?? .null]
        if case .array(let members) = audience[0] { audience = members }
        guard audience.contains(client) else { throw .audience }
        let party = claims["azp"]
        guard party == client || party == nil && audience.count == 1 else { throw .audience }
        let now = expected.now
        guard expires.seconds(since: now) > -leeway else { throw .expired }
        for start in [issued, time(claims["nbf"])].compactMap(\.self) {
            guard start.seconds(since: now) <= leeway else { throw .notYetValid }
        }
        guard claims["nonce"] == .string(expected.nonce) else { throw .nonce }
    }

    private static func json(_ part: some Collection<UInt8>) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONParser.parse(bytes),
            case .object = value
        else { return nil }
        return value
    }

    /// Returns a time in seconds since 1970; `nil` if the value is not a plausible one.
    private static func time(_ value: JSONValue?) -> WallTime? {
        let seconds: Int64
        switch value {
        case .integer(let number): seconds = number
        case .real(let number) where abs(number) < 1e12: seconds = Int64(number)
        default: return nil
        }
        return (0..<1_000_000_000_000).contains(seconds) ? WallTime(secondsSince1970: seconds) : nil
    }
}
