internal import CSinkShims

/// Checks provider tokens (JWT): signature, key, team and age.
///
/// A token is verified once and then recognised by its bytes, because verifying a signature costs as much as
/// fifty requests. According to Apple, its own check of a token is stateless and fast.
package final class ProviderTokens {
    /// A team's key, created by `pushsink certs` or taken from Apple's AuthKey_….p8.
    package struct Key {
        package var id: String
        package var team: String
        package let raw: OpaquePointer

        /// Reads the PEM file. Returns `nil` if it contains no private key.
        init?(id: String, team: String, file: String) {
            guard let text = try? Files.text(file), let raw = push_sink_key_parse(text) else { return nil }
            self.id = id
            self.team = team
            self.raw = raw
        }
    }

    package enum Judgement: Equatable, Sendable {
        /// `number` distinguishes valid tokens from each other.
        case valid(number: Int)
        case fault(APNsReason)
    }

    private struct Known {
        let bytes: [UInt8]
        let issuedAt: Int?  // In seconds since 1970; `nil` if the token is never valid.
        let number: Int
    }

    /// According to Apple, "a token's iat must be within the last hour".
    private static let lifetime = 3600
    /// The tolerance for clocks that are ahead, in seconds. Apple does not mention such clocks, but two
    /// well-maintained clocks may differ by a minute.
    private static let skew = 60
    /// The maximum number of remembered tokens, which is higher than the number of accounts in any test
    /// harness.
    private static let maxKnown = 4_096

    private let keys: [Key]
    /// The tokens that were checked, keyed by their last eight bytes, which belong to the signature.
    private var known: [UInt64: Known] = [:]
    /// Keys of `known`, the oldest first.
    private var ends: [UInt64] = []
    private var numbers = 0

    package init(keys: [Key]) { self.keys = keys }

    deinit { for key in keys { push_sink_key_free(key.raw) } }

    /// Checks the value of `authorization` (`nil` if there is none) at `seconds` since 1970.
    package func judge(_ authorization: Bytes?, at seconds: Int) -> Judgement {
        guard let authorization, authorization.count > 0 else { return .fault(.missingProviderToken) }
        guard authorization.starts(with: "bearer ") || authorization.starts(with: "Bearer ") else {
            return .fault(.invalidProviderToken)
        }
        let token = authorization.from(7)
        guard token.count > 0 else { return .fault(.missingProviderToken) }
        let end = token.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        if let known = known[end], token.equals(known.bytes) { return judgement(of: known, at: seconds) }
        numbers += 1
        let new = Known(bytes: Array(token), issuedAt: issueTime(of: token), number: numbers)
        if known.updateValue(new, forKey: end) == nil { ends.append(end) }
        if ends.count > Self.maxKnown { known[ends.removeFirst()] = nil }
        return judgement(of: new, at: seconds)
    }

    private func judgement(of token: Known, at seconds: Int) -> Judgement {
        guard let issuedAt = token.issuedAt, issuedAt <= seconds + Self.skew else {
            return .fault(.invalidProviderToken)
        }
        guard issuedAt >= seconds - Self.lifetime else { return .fault(.expiredProviderToken) }
        return .valid(number: token.number)
    }

    private struct Claims: Decodable { let iss: String, iat: Double }

    /// Returns the `iat` of a token whose form, key, team and signature are valid; `nil` otherwise.
    private func issueTime(of token: Bytes) -> Int? {
        guard let token = JSONWebToken<Claims>(token, atMost: 4096), token.signature.count == 64,
            token.head.alg == "ES256", let claims = token.claims,
            let iat = Int(exactly: claims.iat.rounded(.down)), iat >= 0, iat < 1 << 40,
            let key = keys.first(where: { $0.id == token.head.kid && $0.team == claims.iss }),
            push_sink_key_verifies_es256(key.raw, token.signed, token.signed.count, token.signature)
        else { return nil }
        return iat
    }
}
