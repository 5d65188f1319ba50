internal import Crypto
internal import FoundationEssentials
package import PushStore

/// Who says it, as the Standard Webhooks specification has it: `v1,` and the base64 of HMAC-SHA256 of id,
/// second and body with dots between them.
package enum WebhookSignature {
    /// The header's value: a signature with each secret that is good, the present one first.
    package static func header(
        id: String, second: Int64, body: [UInt8], secrets: WebhookSecrets
    ) -> String {
        let signed = Array("\(id).\(second).".utf8) + body
        return ([secrets.present] + (secrets.old.map { [$0] } ?? [])).map { secret in
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: secret))
            return "v1,\(Data(code).base64EncodedString())"
        }.joined(separator: " ")
    }

    /// A secret as an operator gives it to a receiver.
    package static func text(of secret: [UInt8]) -> String {
        WebhookSecrets.prefix + Data(secret).base64EncodedString()
    }
}
