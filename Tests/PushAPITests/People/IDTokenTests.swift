import PushAPI
import PushConfig
import PushCrypto
import PushModel
import TestSupport
import Testing

/// Tests of ``IDToken``: each claim and each part of the signature, with keys and tokens that code of the
/// tests writes.
@Suite struct IDTokenTests {
    private static let now = WallTime(secondsSince1970: 1_795_262_400)
    private static let expected = IDToken.Expectation(
        issuer: "https://login.example", clientID: "console", nonce: "n-1", now: now)
    private static let head = #"{"alg":"RS256","kid":"first"}"#

    private let rsa = TestKey(.rsa(bits: 2_048))
    private let p256 = TestKey(.p256)

    private var keys: ProviderKeys {
        get throws {
            let text = #"{"keys":[\#(rsa.webKey("first")),\#(p256.webKey("second"))]}"#
            return try #require(ProviderKeys(json: Array(text.utf8)))
        }
    }

    /// Returns claims as JSON.
    /// - Parameter changes: Members that replace the usual ones; `nil` removes a member.
    private static func claims(_ changes: [String: String?] = [:]) -> String {
        let time = now.secondsSince1970
        var all: [String: String?] = [
            "iss": #""https://login.example""#, "sub": #""24""#, "aud": #""console""#,
            "exp": "\(time + 300)", "iat": "\(time)", "nonce": #""n-1""#, "preferred_username": #""mara""#,
        ]
        all.merge(changes) { $1 }
        let members = all.compactMap { key, value in value.map { "\"\(key)\":\($0)" } }
        return "{\(members.joined(separator: ","))}"
    }

    private func token(_ changes: [String: String?] = [:], head: String = head) -> String {
        WebToken.make(head, Self.claims(changes), sign: rsa.signature)
    }

    private func refusal(of token: String, _ keys: ProviderKeys? = nil) throws -> IDToken.Refusal? {
        let keys = try keys ?? self.keys
        do throws(IDToken.Refusal) {
            _ = try IDToken(token, keys: keys, expecting: Self.expected)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a token of each accepted algorithm states the person`() throws {
        let one = try IDToken(token(), keys: keys, expecting: Self.expected)
        #expect(one.name(in: .preferredUsername) == "mara" && one.name(in: .subject) == "24")
        #expect(one.name(in: .email) == nil && one.authenticated == nil)
        let other = WebToken.make(
            #"{"alg":"ES256","kid":"second"}"#, Self.claims(["auth_time": "1795262390"]),
            sign: p256.signature)
        let two = try IDToken(other, keys: keys, expecting: Self.expected)
        #expect(two.authenticated?.secondsSince1970 == 1_795_262_390)
        // The only key of its kind needs no name.
        #expect(try refusal(of: token(head: #"{"alg":"RS256"}"#)) == nil)
    }

    @Test func `an address counts only if the provider has verified it`() throws {
        for (verified, name) in [
            ("true", "mara@shop.example"), ("false", nil), ("\"true\"", nil), ("1", nil), (nil, nil),
        ] as [(String?, String?)] {
            let changes = ["email": "\"mara@shop.example\"", "email_verified": verified]
            let read = try IDToken(token(changes), keys: keys, expecting: Self.expected)
            #expect(read.name(in: .email) == name, "\(verified ?? "absent")")
        }
    }

    @Test(
        arguments: [
            ("iss", #""https://login.example/""#, .issuer), ("iss", nil, .issuer), ("iss", "1", .issuer),
            ("aud", #""other""#, .audience), ("aud", "[]", .audience), ("aud", nil, .audience),
            ("aud", #"["other"]"#, .audience), ("aud", #"["console","other"]"#, .audience),
            ("azp", #""other""#, .audience), ("nonce", #""n-2""#, .nonce), ("nonce", nil, .nonce),
            ("exp", "1795262340", .expired), ("exp", "0", .expired), ("exp", nil, .malformed),
            ("exp", "-1", .malformed), ("exp", "\"1795262700\"", .malformed), ("exp", "1e300", .malformed),
            ("iat", "1795262461", .notYetValid), ("iat", nil, .malformed),
            ("nbf", "1795262461", .notYetValid),
            ("sub", nil, .malformed), ("sub", "\"\"", .malformed), ("sub", "7", .malformed),
        ] as [(String, String?, IDToken.Refusal)])
    func `a token with a wrong claim is refused`(
        claim: String, value: String?, why: IDToken.Refusal
    ) throws {
        #expect(try refusal(of: token([claim: value])) == why)
    }

    @Test(arguments: [
        ("exp", "1795262341"), ("iat", "1795262460"), ("nbf", "1795262460"), ("exp", "1795262700.5"),
        ("aud", #"["console"]"#), ("azp", #""console""#),
    ])
    func `clocks may differ by a minute, and claims have several forms`(claim: String, value: String) throws {
        #expect(try refusal(of: token([claim: value])) == nil)
    }

    @Test func `several audiences need an authorized party`() throws {
        let two = ["aud": #"["other","console"]"#, "azp": #""console""#]
        #expect(try refusal(of: token(two)) == nil)
    }

    @Test func `an unsigned token and one with a shared secret are refused`() throws {
        for name in ["none", "None", "", "HS256", "HS512", "RS384", "PS256", "ES384", "EdDSA"] {
            let head = #"{"alg":"\#(name)","kid":"first"}"#
            #expect(try refusal(of: token(head: head)) == .algorithm(name), "\(name)")
        }
        let unsigned = WebToken.make(#"{"alg":"none"}"#, Self.claims()) { _ in [] }
        #expect(try refusal(of: unsigned) == .algorithm("none"))
        // The public key as the secret: what a careless verifier would accept.
        for secret in [rsa.publicNumbers.first, Array(rsa.webKey("first").utf8)] {
            let forged = WebToken.make(#"{"alg":"HS256","kid":"first"}"#, Self.claims()) {
                HMACSHA256.code(for: $0, using: SymmetricKey(secret))
            }
            #expect(try refusal(of: forged) == .algorithm("HS256"))
        }
        // The right name with a signature of another kind.
        let mixed = WebToken.make(Self.head, Self.claims()) {
            HMACSHA256.code(for: $0, using: SymmetricKey(rsa.publicNumbers.first))
        }
        #expect(try refusal(of: mixed) == .signature)
    }

    @Test func `a token that was changed or is signed with another key is refused`() throws {
        let parts = token().split(separator: ".").map(String.init)
        let other = WebToken.text(Array(Self.claims(["preferred_username": "\"root\""]).utf8))
        #expect(try refusal(of: "\(parts[0]).\(other).\(parts[2])") == .signature)
        let head = WebToken.text(Array(#"{"alg":"RS256","kid":"first","typ":"JWT"}"#.utf8))
        #expect(try refusal(of: "\(head).\(parts[1]).\(parts[2])") == .signature)
        let stranger = TestKey(.rsa(bits: 2_048))
        let foreign = WebToken.make(Self.head, Self.claims(), sign: stranger.signature)
        #expect(try refusal(of: foreign) == .signature)
        #expect(try refusal(of: token(head: #"{"alg":"RS256","kid":"third"}"#)) == .unknownKey)
        // A key of another kind has the name.
        #expect(try refusal(of: token(head: #"{"alg":"RS256","kid":"second"}"#)) == .unknownKey)
        let elliptic = WebToken.make(
            #"{"alg":"ES256","kid":"first"}"#, Self.claims(), sign: p256.signature)
        #expect(try refusal(of: elliptic) == .unknownKey)
    }

    @Test func `a text that is not a token is refused`() throws {
        let parts = token().split(separator: ".").map(String.init)
        let long = WebToken.text([UInt8](repeating: 0x20, count: 40_000))
        for text in [
            "", ".", "..", "a.b", token() + ".", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).!",
            "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0]).\(long).\(parts[2])",
            "\(parts[0]).\(parts[1]).\(parts[2])\n",
        ] {
            #expect(try refusal(of: text) == .malformed, "\(text.prefix(40))")
        }
        #expect(try refusal(of: "\(parts[0]).\(parts[1]).") == .signature)
        #expect(try refusal(of: "\(parts[0]).\(parts[1]).AAAA") == .signature)
        for head in [
            "[]", "{}", #"{"alg":1}"#, #"{"alg":"RS256","kid":1}"#, #"{"alg":"RS256","alg":"none"}"#,
            #"{"alg":"RS256","kid":"first","crit":["x"],"x":1}"#,
        ] {
            #expect(try refusal(of: token(head: head)) == .malformed, "\(head)")
        }
    }

    @Test func `keys for other purposes and of other kinds are left out`() throws {
        let others = [
            rsa.webKey("first", more: #","alg":"RS512""#),
            rsa.webKey("first").replacing(#""use":"sig""#, with: #""use":"enc""#),
            p256.webKey("first").replacing("P-256", with: "P-384"),
            #"{"kty":"oct","kid":"first","k":"AAAA"}"#, #"{"kty":"RSA","kid":"first"}"#, "1",
        ]
        for other in others {
            let keys = try #require(ProviderKeys(json: Array("{\"keys\":[\(other)]}".utf8)))
            #expect(try refusal(of: token(), keys) == .unknownKey, "\(other)")
        }
        for text in ["", "[]", "{}", #"{"keys":{}}"#] { #expect(ProviderKeys(json: Array(text.utf8)) == nil) }
        // Two keys of a kind: a token must name one.
        let two = #"{"keys":[\#(rsa.webKey("first")),\#(TestKey(.rsa(bits: 2_048)).webKey("next"))]}"#
        let keys = try #require(ProviderKeys(json: Array(two.utf8)))
        #expect(try refusal(of: token(), keys) == nil)
        #expect(try refusal(of: token(head: #"{"alg":"RS256"}"#), keys) == .unknownKey)
    }

    @Test func `the endpoints of a provider must be its own and encrypted`() throws {
        func fault(_ changes: [String: String]) -> String? {
            var all = [
                "issuer": "https://login.example", "authorization_endpoint": "https://login.example/a?b=c",
                "token_endpoint": "https://login.example/t", "jwks_uri": "http://127.0.0.1:8000/k",
            ]
            all.merge(changes) { $1 }
            let text = "{" + all.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
            do throws(OpenIDFault) {
                _ = try ProviderMetadata(json: Array(text.utf8), issuer: "https://login.example")
                return nil
            } catch {
                return error.description
            }
        }
        #expect(fault([:]) == nil)
        #expect(fault(["issuer": "https://login.example/"])?.contains("web/openId/@issuer") == true)
        for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
            for address in ["http://login.example/", "javascript:alert(1)", "//a.example", "https://a@b/"] {
                #expect(fault([name: address])?.hasPrefix("\(name) of the provider") == true, "\(address)")
            }
        }
        #expect(throws: OpenIDFault.self) {
            try ProviderMetadata(
                json: Array(#"{"issuer":"https://login.example"}"#.utf8), issuer: "https://login.example")
        }
    }
}
