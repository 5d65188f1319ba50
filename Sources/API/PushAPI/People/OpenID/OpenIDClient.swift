internal import PushConfig
internal import PushModel
internal import PushStore
internal import PushTransport
internal import PushWire

/// Requests to a provider, on the caller's thread, which waits for each answer. Redirects are not followed.
struct OpenIDClient {
    static let connectSeconds = 5
    /// The maximum time of each request.
    static let wholeSeconds = 10
    static let maxAnswerBytes = 64 << 10
    static let maxSecretBytes = 1_000

    let settings: OpenIDConfiguration
    let issuer: IssuerURL

    /// Reads where the provider's endpoints are.
    func metadata() throws(OpenIDFault) -> ProviderMetadata {
        let base = issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text
        let address: HTTPAddress
        do throws(HTTPAddress.Refusal) {
            address = try HTTPAddress("\(base)/.well-known/openid-configuration")
        } catch {
            throw OpenIDFault("web/openId/@issuer: \(error)")
        }
        return try ProviderMetadata(json: document(at: address), issuer: issuer.text)
    }

    /// Reads the keys with which the provider signs.
    func keys(of metadata: ProviderMetadata) throws(OpenIDFault) -> ProviderKeys {
        guard let keys = ProviderKeys(json: try document(at: metadata.keys)) else {
            throw OpenIDFault("the provider's jwks_uri does not return a set of keys")
        }
        return keys
    }

    /// Exchanges the code that a browser brought for an ID token (RFC 6749 §4.1.3, RFC 7636 §4.5).
    func idToken(
        for code: String, verifier: String, redirect: String, at metadata: ProviderMetadata
    ) throws(OpenIDFault) -> String {
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
            ("code_verifier", verifier),
        ]
        var headers: [HTTPRequest.Header] = [
            .init("accept", "application/json"), .init("content-type", "application/x-www-form-urlencoded"),
        ]
        if let secret = try secret() {
            headers.append(.init("authorization", OpenIDForm.basic(settings.clientID, secret)))
        } else {
            form.append(("client_id", settings.clientID))
        }
        let response = try answer(
            to: request("POST", metadata.token, headers, body: Array(OpenIDForm.text(form).utf8)))
        let document = try? JSONParser.parse(response.body)
        guard response.status == 200 else {
            var why = "status \(response.status)"
            if case .string(let error)? = document?["error"] { why = error.printable(atMost: 60) }
            if case .string(let text)? = document?["error_description"] {
                why += ": \(text.printable(atMost: 200))"
            }
            throw OpenIDFault("the provider refuses to exchange the code: \(why)")
        }
        guard case .string(let token)? = document?["id_token"] else {
            throw OpenIDFault("the provider's answer contains no id_token")
        }
        return token
    }

    // MARK: Requests

    private func document(at address: HTTPAddress) throws(OpenIDFault) -> [UInt8] {
        let response = try answer(to: request("GET", address, [.init("accept", "application/json")]))
        guard response.status == 200 else {
            throw OpenIDFault("\(Self.place(address)) answers with status \(response.status)")
        }
        return response.body
    }

    private func request(
        _ method: String, _ address: HTTPAddress, _ headers: [HTTPRequest.Header], body: [UInt8]? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(
            method, Endpoint(host: address.host, port: address.port), path: address.path,
            isSecure: address.isSecure, headers: headers, body: body)
        request.connectTimeout = .seconds(Self.connectSeconds)
        request.timeout = .seconds(Self.wholeSeconds)
        request.maximumBody = Self.maxAnswerBytes
        return request
    }

    private func answer(to request: HTTPRequest) throws(OpenIDFault) -> HTTPResponse {
        var result: HTTPResult?
        do throws(TransportError) {
            let loop = try TransportLoop()
            let exchange = try HTTPExchange(loop: loop, request: request) { result = $0 }
            while result == nil { _ = try loop.wait(atMostMilliseconds: 1_000) }
            withExtendedLifetime(exchange) {}
        } catch {
            throw OpenIDFault("\(request.endpoint) cannot be asked: \(error)".printable(atMost: 300))
        }
        switch result {
        case .response(let response): return response
        case .failure(let failure):
            throw OpenIDFault("\(request.endpoint) does not answer: \(failure)".printable(atMost: 300))
        case nil: throw OpenIDFault("\(request.endpoint) does not answer")
        }
    }

    private static func place(_ address: HTTPAddress) -> String {
        "\(Endpoint(host: address.host, port: address.port))\(address.path)".printable(atMost: 200)
    }

    /// - Returns: `nil` for a public client.
    private func secret() throws(OpenIDFault) -> String? {
        guard let path = settings.clientSecretFile else { return nil }
        let why: String
        do throws(PrivateFile.Failure) {
            let line = try PrivateFile.firstLine(of: path, limit: Self.maxSecretBytes)
            if let text = line.flatMap({ String(validating: $0, as: UTF8.self) }) { return text }
            why = "its first line is empty or not UTF-8"
        } catch {
            why = error.words
        }
        throw OpenIDFault("web/openId/@clientSecretFile: \(path.printable(atMost: 200)): \(why)")
    }
}

/// Forms and credentials as OAuth 2.0 writes them.
enum OpenIDForm {
    static func text(_ fields: [(String, String)]) -> String {
        fields.map { "\(PercentEncoding.encoded($0.0))=\(PercentEncoding.encoded($0.1))" }
            .joined(separator: "&")
    }

    /// RFC 6749 §2.3.1.
    static func basic(_ client: String, _ secret: String) -> String {
        let pair = "\(PercentEncoding.encoded(client)):\(PercentEncoding.encoded(secret))"
        let letters = Base64URL.encode(Array(pair.utf8)).map { byte -> Character in
            switch byte {
            case UInt8(ascii: "-"): "+"
            case UInt8(ascii: "_"): "/"
            default: Character(Unicode.Scalar(byte))
            }
        }
        return "Basic \(String(letters))\(String(repeating: "=", count: (4 - letters.count % 4) % 4))"
    }
}
