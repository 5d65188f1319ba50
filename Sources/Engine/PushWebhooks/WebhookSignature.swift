internal import FoundationEssentials
internal import PushCrypto
package import PushStore

/// The sender's signature, as defined in the Standard Webhooks specification: `v1,` and the base64 of
/// HMAC-SHA256 of the id, the timestamp in seconds and the body, separated by dots.
package enum WebhookSignature {
    /// Returns the value of the header: one signature for each valid secret, the present secret's signature
    /// first.
    package static func header(
        id: String, second: Int64, body: [UInt8], secrets: WebhookSecrets
    ) -> String {
        let signed = Array("\(id).\(second).".utf8) + body
        return ([secrets.present] + (secrets.old.map { [$0] } ?? [])).map { secret in
            let code = HMACSHA256.code(for: signed, using: SymmetricKey(secret))
            return "v1,\(Data(code).base64EncodedString())"
        }.joined(separator: " ")
    }

    /// Returns a secret in the form in which an operator gives it to a receiver.
    package static func text(of secret: [UInt8]) -> String {
        WebhookSecrets.prefix + Data(secret).base64EncodedString()
    }
}
