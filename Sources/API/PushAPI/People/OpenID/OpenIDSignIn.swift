internal import PushConfig
internal import PushModel
internal import PushStore

/// The reason why a person could not sign in with a provider.
package enum OpenIDRefusal: Equatable, Sendable {
    /// The attempt is unknown, was completed, has expired, or began in another browser.
    case noAttempt
    /// The provider reports an error.
    case provider(error: String, text: String)
    /// The provider cannot be used now. The text is one line.
    case unavailable(String)
    /// The answer of the provider is not acceptable. The text is one line.
    case notAccepted(String)
    /// The provider does not state the person's name in this claim, or has not verified it.
    case noName(claim: String)
    /// There is no person with this name.
    case noPerson(String)
    /// The session that was to be confirmed belongs to another person.
    case otherPerson(String)
    /// The session that was to be confirmed has ended.
    case noSession
    /// The provider does not state that the person has just signed in.
    case notRecent
}

/// Where a browser goes to sign in with a provider.
package enum OpenIDDeparture: Sendable {
    /// - cookie: The value that the browser must bring back.
    case leave(address: String, cookie: String)
    case refused(OpenIDRefusal)
}

/// Begins to sign in with a provider, or to confirm a session. May wait some seconds for the provider.
package struct DepartOpenID: ShortOperation {
    package static let name = "openid.depart"

    /// For how many seconds the browser must keep the cookie.
    package static let cookieSeconds = Int(OpenIDAttempt.milliseconds / 1_000)

    /// The scheme, the host and the port with which the browser reaches the console.
    package var origin: String
    /// The path to which the provider sends the browser.
    package var path: String
    /// The page to show afterwards.
    package var next: String
    /// The session to confirm; `nil` to begin one.
    package var session: String?

    package init(origin: String, path: String, next: String, session: String? = nil) {
        (self.origin, self.path, self.next, self.session) = (origin, path, next, session)
    }

    /// - Throws: `absent` if no provider is configured.
    package func perform(in operations: Operations) throws -> OpenIDDeparture {
        let client = try operations.openIDClient()
        guard let url = PublicURL(origin), url.path.isEmpty else {
            return .refused(.unavailable("the browser states no valid host"))
        }
        let now = operations.clock.moment()
        let attempt = OpenIDAttempt(
            redirect: url.text + path, next: next, session: session.map(PersonSecret.init(text:)), at: now)
        do throws(OpenIDFault) {
            let metadata = try operations.people.openID.metadata(client, at: operations.clock.monotonic())
            var parameters = [
                ("response_type", "code"), ("client_id", client.settings.clientID),
                ("redirect_uri", attempt.redirect), ("scope", client.settings.scopes),
                ("state", attempt.state), ("nonce", attempt.nonce),
                ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
            ]
            if session != nil { parameters += [("prompt", "login"), ("max_age", "0")] }
            let cookie = attempt.cookie(try operations.keyForOpenID())
            return .leave(address: metadata.departure(parameters), cookie: cookie)
        } catch {
            operations.warn(ofOpenID: error.description)
            return .refused(.unavailable(error.description))
        }
    }
}

/// The result of signing in with a provider.
package enum OpenIDArrival: Sendable {
    case signedIn(NewSession, next: String)
    case confirmed(next: String)
    case refused(OpenIDRefusal)
}

/// Completes an attempt to sign in with a provider: the browser has come back. May wait some seconds for the
/// provider.
package struct ArriveOpenID: ShortOperation {
    package static let name = "openid.arrive"

    /// The fields with which the provider sent the browser back (RFC 6749 §4.1.2, RFC 9207).
    package struct Fields: Sendable {
        package var code: String?
        package var state: String?
        package var issuer: String?
        package var error: String?
        package var errorText: String?

        package init(
            code: String? = nil, state: String? = nil, issuer: String? = nil, error: String? = nil,
            errorText: String? = nil
        ) {
            (self.code, self.state, self.issuer) = (code, state, issuer)
            (self.error, self.errorText) = (error, errorText)
        }
    }

    static let maxCodeBytes = 4_096

    package var fields: Fields
    /// The cookie that the browser brought back.
    package var cookie: String
    /// The browser's session; `nil` if it has none.
    package var session: String?
    /// The address of the person's browser.
    package var address: String

    package init(_ fields: Fields, cookie: String, session: String?, address: String) {
        (self.fields, self.cookie, self.session, self.address) = (fields, cookie, session, address)
    }

    /// - Throws: `absent` if no provider is configured.
    package func perform(in operations: Operations) throws -> OpenIDArrival {
        let client = try operations.openIDClient()
        let (memory, now) = (operations.people.openID, operations.clock.moment())
        guard let attempt = OpenIDAttempt(cookie: cookie, try operations.key(), at: now),
            fields.state == attempt.state, memory.takeAttempt(attempt.state, ends: attempt.ends, at: now)
        else { return .refused(.noAttempt) }
        let token: IDToken
        do throws(OpenIDFault) {
            let metadata = try memory.metadata(client, at: operations.clock.monotonic())
            guard fields.issuer == client.issuer.text || fields.issuer == nil && !metadata.statesIssuer else {
                return refused(.notAccepted("the answer is from another issuer"), operations)
            }
            if let error = fields.error {
                let text = (fields.errorText ?? "").printable(atMost: 300)
                return .refused(.provider(error: error.printable(atMost: 60), text: text))
            }
            guard let code = fields.code, (1...Self.maxCodeBytes).contains(code.utf8.count) else {
                return .refused(.notAccepted("the answer contains no code"))
            }
            let text = try client.idToken(
                for: code, verifier: attempt.verifier, redirect: attempt.redirect, at: metadata)
            let expected = IDToken.Expectation(
                issuer: client.issuer.text, clientID: client.settings.clientID, nonce: attempt.nonce,
                now: now.time)
            switch try operations.verify(text, expected, client, metadata) {
            case .success(let verified): token = verified
            case .failure(let refusal): return refused(.notAccepted("\(refusal)"), operations)
            }
        } catch {
            return refused(.unavailable(error.description), operations)
        }
        return try arrived(token, attempt, client.settings.nameClaim, operations)
    }

    private func refused(_ refusal: OpenIDRefusal, _ operations: Operations) -> OpenIDArrival {
        switch refusal {
        case .unavailable(let text), .notAccepted(let text): operations.warn(ofOpenID: text)
        default: break
        }
        return .refused(refusal)
    }

    /// The provider has stated who the person is.
    private func arrived(
        _ token: IDToken, _ attempt: OpenIDAttempt, _ claim: PersonNameClaim, _ operations: Operations
    ) throws -> OpenIDArrival {
        guard let name = token.name(in: claim) else { return .refused(.noName(claim: claim.rawValue)) }
        let shown = name.printable(atMost: PersonName.maximumBytes)
        guard let person = try PersonName(name).flatMap({ try operations.store.people.find($0) }) else {
            return .refused(.noPerson(shown))
        }
        let now = operations.clock.moment()
        let checked = Self.recent(token.authenticated, at: now)
        guard !attempt.session.isEmpty else {
            let session = try operations.beginSession(
                of: person, from: address, by: .openID, checked: checked, as: BeginSession.name)
            guard let session else { return .refused(.noPerson(shown)) }
            return .signedIn(session, next: attempt.next)
        }
        let secret = PersonSecret(text: session ?? "")
        guard attempt.isOf(secret), let known = try operations.session(secret) else {
            return .refused(.noSession)
        }
        guard known.person.id == person.id else { return .refused(.otherPerson(shown)) }
        guard let checked else { return .refused(.notRecent) }
        defer { operations.people.sessions.forget(secret.digest) }
        let writer = operations.noting(
            ConfirmPassword.name, of: person, SignInWay.openID.text
        ).sessionWriter
        guard try writer.confirm(known.session, at: checked) else { return .refused(.noSession) }
        return .confirmed(next: attempt.next)
    }

    /// Returns the time at which the person signed in to the provider if that was a moment ago.
    private static func recent(_ time: WallTime?, at now: WallMoment) -> WallMoment? {
        guard let time else { return nil }
        let age = now.time.seconds(since: time)
        guard (-IDToken.leeway...SessionView.confirmedMinutes * 60).contains(age) else { return nil }
        return min(WallMoment(time), now)
    }
}

extension Operations {
    /// What the page to sign in calls the provider; `nil` if none is configured.
    package var openIDLabel: String? {
        settings.web.openID.issuer == nil ? nil : settings.web.openID.shownLabel
    }

    fileprivate func openIDClient() throws(OperationError) -> OpenIDClient {
        let settings = settings.web.openID
        guard let issuer = settings.issuer else {
            throw .absent("no OpenID Connect provider is configured; set web/openId/@issuer")
        }
        return OpenIDClient(settings: settings, issuer: issuer)
    }

    fileprivate func keyForOpenID() throws(OpenIDFault) -> InstanceKey {
        do throws(StoreError) { return try key() } catch {
            throw OpenIDFault("\(error)".printable(atMost: 300))
        }
    }

    /// Verifies an ID token. If its key is unknown, the provider's keys are read once more.
    fileprivate func verify(
        _ text: String, _ expected: IDToken.Expectation, _ client: OpenIDClient, _ metadata: ProviderMetadata
    ) throws(OpenIDFault) -> Result<IDToken, IDToken.Refusal> {
        var result = Result<IDToken, IDToken.Refusal>.failure(.unknownKey)
        for unknown in [false, true] {
            let keys = try people.openID.keys(
                client, of: metadata, unknown: unknown, at: clock.monotonic())
            do throws(IDToken.Refusal) {
                return .success(try IDToken(text, keys: keys, expecting: expected))
            } catch {
                result = .failure(error)
                guard error == .unknownKey else { return result }
            }
        }
        return result
    }

    fileprivate func warn(ofOpenID text: String) {
        guard people.openID.mayWarn(at: clock.monotonic()) else { return }
        engine.warn("signing in with OpenID Connect failed: \(text.printable(atMost: 400))")
    }
}
