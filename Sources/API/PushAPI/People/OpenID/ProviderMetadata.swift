internal import PushModel
internal import PushWire

/// The endpoints of a provider (OpenID Connect Discovery 1.0, §3).
package struct ProviderMetadata: Equatable, Sendable {
    /// The address to which browsers are sent. It may have a query.
    package var authorization: String
    var token: HTTPAddress
    var keys: HTTPAddress
    /// Whether the provider states itself as the issuer when it sends the browser back (RFC 9207).
    var statesIssuer: Bool

    /// - Parameter issuer: The configured issuer.
    /// - Throws: ``OpenIDFault`` if the document is not this issuer's, or lacks a usable endpoint.
    package init(json: [UInt8], issuer: String) throws(OpenIDFault) {
        guard let document = try? JSONParser.parse(json), case .string(let stated)? = document["issuer"]
        else {
            throw OpenIDFault("the provider's openid-configuration is not a JSON object with an issuer")
        }
        guard stated == issuer else {
            throw OpenIDFault(
                """
                the provider states the issuer \(stated.printable(atMost: 200)); set web/openId/@issuer to \
                exactly this text if it is the right provider
                """)
        }
        func endpoint(_ name: String) throws(OpenIDFault) -> (text: String, address: HTTPAddress) {
            guard case .string(let text)? = document[name] else {
                throw OpenIDFault("the provider's openid-configuration lacks \(name)")
            }
            do throws(HTTPAddress.Refusal) { return (text, try HTTPAddress(text)) } catch {
                throw OpenIDFault("\(name) of the provider: \(error)")
            }
        }
        authorization = try endpoint("authorization_endpoint").text
        token = try endpoint("token_endpoint").address
        keys = try endpoint("jwks_uri").address
        statesIssuer = document["authorization_response_iss_parameter_supported"] == .boolean(true)
    }

    /// Returns the address to which a browser is sent.
    func departure(_ parameters: [(String, String)]) -> String {
        let mark = authorization.contains("?") ? "&" : "?"
        return authorization + mark + OpenIDForm.text(parameters)
    }
}

/// The reason why a provider cannot be used at the moment: one line, without secrets.
package struct OpenIDFault: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
