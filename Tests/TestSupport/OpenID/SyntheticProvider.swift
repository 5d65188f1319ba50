import Foundation
import Synchronization

/// An OpenID Connect provider on a real socket of this machine. It checks requests as a provider must.
package final class SyntheticProvider: Sendable {
    package static let client = "console"
    package static let secret = "a secret: 100% & more"

    package struct Behaviour: Sendable {
        /// Members of the ID token that replace the usual ones, as JSON; `nil` removes a member.
        package var claims: [String: String?] = [:]
        /// The members of the discovery document that replace the usual ones, as JSON; `nil` removes a member.
        package var metadata: [String: String?] = [:]
        package var algorithm = "RS256"
        package var keyID = "first"
        /// The keys that are published, as JSON; `nil` means the provider's own.
        package var keys: String?
        /// An answer to a path instead of the usual one.
        package var answers: [String: HTTPReceiver.Reply] = [:]
    }

    private struct Grant {
        var parameters: [String: String]
        var claims: String
    }

    private struct State {
        var behaviour = Behaviour()
        var grants: [String: Grant] = [:]
        var faults: [String] = []
        var asked: [String] = []
    }

    private let state = Mutex(State())
    private let receiver: HTTPReceiver
    private let keys: [String: SignedBy]
    package var issuer: String { "http://127.0.0.1:\(receiver.port)" }

    /// The promise holds without a lock: nothing changes a key after it was made, and OpenSSL permits several
    /// threads to sign with one key at the same time.
    private struct SignedBy: @unchecked Sendable { let key: TestKey }

    /// The time in seconds since 1970 that the provider's clock shows.
    private let now: @Sendable () -> Int64
    private let hasSecret: Bool

    /// - Parameter hasSecret: Whether the console must present its secret.
    package init(hasSecret: Bool = true, now: @escaping @Sendable () -> Int64) throws {
        (self.now, self.hasSecret) = (now, hasSecret)
        keys = ["RS256": SignedBy(key: TestKey(.rsa(bits: 2_048))), "ES256": SignedBy(key: TestKey(.p256))]
        let relay = Relay()
        receiver = try HTTPReceiver { relay.provider?.answer($0) ?? .close }
        relay.set(self)
    }

    package func change(_ change: @Sendable (inout Behaviour) -> Void) {
        state.withLock { change(&$0.behaviour) }
    }

    /// What the console did wrong.
    package var faults: [String] { state.withLock(\.faults) }
    /// The paths that were requested.
    package var asked: [String] { state.withLock(\.asked) }
    package func stop() { receiver.stop() }

    // MARK: The person in the browser

    /// A person signs in at the address to which the console has sent the browser.
    /// - Returns: The query with which the browser goes back to the console.
    package func signIn(at address: String, _ claims: [String: String?]) throws -> String {
        let parts = try URLComponents(string: address).required("\(address) is not an address")
        let fields = Dictionary(
            (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
        for (name, value) in [
            ("response_type", "code"), ("client_id", Self.client), ("code_challenge_method", "S256"),
        ] where fields[name] != value {
            fault("\(name) is \(fields[name] ?? "missing")")
        }
        if fields["scope"]?.split(separator: " ").contains("openid") != true { fault("no scope openid") }
        let own = state.withLock(\.behaviour.claims)
        let time = now()
        var all: [String: String?] = [
            "iss": "\"\(issuer)\"", "sub": "\"248289761001\"", "aud": "\"\(Self.client)\"",
            "exp": "\(time + 300)", "iat": "\(time)", "auth_time": "\(time)",
            "nonce": "\"\(fields["nonce"] ?? "")\"",
        ]
        all.merge(claims) { $1 }
        all.merge(own) { $1 }
        let text = Self.object(all)
        let code = "code-\(UInt64.random(in: 1 ... .max))"
        state.withLock { $0.grants[code] = Grant(parameters: fields, claims: text) }
        return "code=\(code)&state=\(fields["state"] ?? "")&iss=\(issuer.replacing(":", with: "%3A"))"
    }

    // MARK: The console's requests

    private func fault(_ text: String) { state.withLock { $0.faults.append(text) } }

    private func answer(_ request: HTTPReceiver.Request) -> HTTPReceiver.Reply {
        let behaviour = state.withLock { state in
            state.asked.append(request.path)
            return state.behaviour
        }
        if let answer = behaviour.answers[request.path] { return answer }
        switch request.path {
        case "/.well-known/openid-configuration": return .status(200, body: metadata(behaviour))
        case "/keys":
            let own = keys.map { $0.value.key.webKey($0.key == "RS256" ? behaviour.keyID : "other") }
            return .status(200, body: behaviour.keys ?? "{\"keys\":[\(own.joined(separator: ","))]}")
        case "/token": return token(request, behaviour)
        default: return .status(404)
        }
    }

    private func metadata(_ behaviour: Behaviour) -> String {
        var all: [String: String?] = [
            "issuer": "\"\(issuer)\"", "authorization_endpoint": "\"\(issuer)/authorize?tenant=1\"",
            "token_endpoint": "\"\(issuer)/token\"", "jwks_uri": "\"\(issuer)/keys\"",
            "authorization_response_iss_parameter_supported": "true",
        ]
        all.merge(behaviour.metadata) { $1 }
        return Self.object(all)
    }

    private static func object(_ members: [String: String?]) -> String {
        let members = members.compactMap { key, value in value.map { "\"\(key)\":\($0)" } }
        return "{\(members.joined(separator: ","))}"
    }

    private func token(_ request: HTTPReceiver.Request, _ behaviour: Behaviour) -> HTTPReceiver.Reply {
        var parts = URLComponents()
        parts.percentEncodedQuery = String(decoding: request.body, as: UTF8.self)
        let fields = Dictionary(
            (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
        let code = fields["code"] ?? ""
        let grant = state.withLock { $0.grants.removeValue(forKey: code) }
        let challenge = WebToken.text(WebToken.digest(fields["code_verifier"] ?? ""))
        guard request.method == "POST", fields["grant_type"] == "authorization_code", let grant,
            grant.parameters["redirect_uri"] == fields["redirect_uri"],
            grant.parameters["code_challenge"] == challenge
        else {
            fault("a wrong token request")
            return .status(400, body: #"{"error":"invalid_grant","error_description":"<b>wrong</b> code"}"#)
        }
        guard isRight(request.headers["authorization"], fields["client_id"]) else {
            fault("wrong credentials")
            return .status(401, body: #"{"error":"invalid_client"}"#)
        }
        guard let key = keys[behaviour.algorithm]?.key else { return .status(500) }
        let id = behaviour.algorithm == "RS256" ? behaviour.keyID : "other"
        let token = WebToken.make(
            #"{"alg":"\#(behaviour.algorithm)","kid":"\#(id)"}"#, grant.claims, sign: key.signature)
        return .status(
            200, headers: ["Content-Type: application/json"],
            body: #"{"access_token":"a","token_type":"Bearer","id_token":"\#(token)"}"#)
    }

    private func isRight(_ authorization: String?, _ client: String?) -> Bool {
        guard hasSecret else { return authorization == nil && client == Self.client }
        guard let text = authorization, text.hasPrefix("Basic "),
            let pair = Data(base64Encoded: String(text.dropFirst(6)))
        else { return false }
        let halves = String(decoding: pair, as: UTF8.self).split(separator: ":").map {
            $0.removingPercentEncoding ?? ""
        }
        return halves == [Self.client, Self.secret]
    }

    /// The receiver needs a provider that exists only after it.
    private final class Relay: Sendable {
        private let held = Mutex<Held>(Held())
        private struct Held { weak var provider: SyntheticProvider? }

        var provider: SyntheticProvider? { held.withLock(\.provider) }
        func set(_ provider: SyntheticProvider) { held.withLock { $0.provider = provider } }
    }
}

extension Optional {
    fileprivate func required(_ what: String) throws -> Wrapped {
        guard let self else { throw PlainHTTP.Failure(description: what) }
        return self
    }
}
