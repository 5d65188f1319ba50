internal import PushCrypto
internal import PushModel
internal import PushStore
internal import PushWire

/// An attempt to sign in with a provider, from the departure of the browser to its return. The browser keeps
/// it in a cookie that only the instance can read, so every process of the instance can complete it, and only
/// this browser.
struct OpenIDAttempt: Equatable {
    static let milliseconds: Int64 = 600_000
    /// The maximum length of an address to return to. Browsers refuse cookies of more than 4096 bytes.
    static let maxNextBytes = 1_000
    static let maxCookieBytes = 4_096
    private static let purpose = "openid attempt"
    private static let secretBytes = 32

    /// The value that the provider sends back with the browser.
    var state: String
    /// The value that the ID token must contain.
    var nonce: String
    /// The secret with which the code is exchanged (RFC 7636 §4.1).
    var verifier: String
    /// The address to which the provider sends the browser.
    var redirect: String
    /// The page that the person asked for.
    var next: String
    /// The mark of the session that is to be confirmed; empty if the person signs in.
    var session: String
    var ends: WallMoment

    init(redirect: String, next: String, session: PersonSecret?, at now: WallMoment) {
        state = Self.random()
        nonce = Self.random()
        verifier = Self.random()
        self.redirect = redirect
        self.next = next.utf8.count <= Self.maxNextBytes ? next : "/"
        self.session = session.map(Self.mark) ?? ""
        ends = WallMoment(
            millisecondsSince1970: now.millisecondsSince1970.clampedSum(Self.milliseconds))
    }

    /// What the provider compares with the verifier (RFC 7636 §4.2).
    var challenge: String { Self.text(SHA256.digest(of: Array(verifier.utf8))) }

    func isOf(_ session: PersonSecret) -> Bool { self.session == Self.mark(session) }

    /// A value that distinguishes sessions and does not reveal them.
    private static func mark(_ session: PersonSecret) -> String { session.derived(for: "openid") }

    // MARK: The cookie

    func cookie(_ key: InstanceKey) -> String {
        var document = DocumentWriter()
        document.object { object in
            object.string("state", state)
            object.string("nonce", nonce)
            object.string("verifier", verifier)
            object.string("redirect", redirect)
            object.string("next", next)
            object.string("session", session)
            object.integer("ends", ends.millisecondsSince1970)
        }
        return Self.text(BrowserSeal(key, purpose: Self.purpose).seal(document.bytes))
    }

    /// - Returns: `nil` if the cookie is not of this instance or the attempt has expired.
    init?(cookie: String, _ key: InstanceKey, at now: WallMoment) {
        guard cookie.utf8.count <= Self.maxCookieBytes, let box = Base64URL.decode(cookie.utf8),
            let bytes = BrowserSeal(key, purpose: Self.purpose).open(box),
            let document = try? JSONParser.parse(bytes), case .integer(let ends)? = document["ends"]
        else { return nil }
        func text(_ name: String) -> String? {
            guard case .string(let text)? = document[name] else { return nil }
            return text
        }
        guard let state = text("state"), let nonce = text("nonce"), let verifier = text("verifier"),
            let redirect = text("redirect"), let next = text("next"), let session = text("session")
        else { return nil }
        (self.state, self.nonce, self.verifier) = (state, nonce, verifier)
        (self.redirect, self.next, self.session) = (redirect, next, session)
        self.ends = WallMoment(millisecondsSince1970: ends)
        guard self.ends > now else { return nil }
    }

    private static func random() -> String { text(SecureRandom.bytes(secretBytes)) }

    private static func text(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(Base64URL.encode(bytes).map { Unicode.Scalar($0) }))
    }
}
