internal import PushAPI

/// Signing in, and confirming a session, with an OpenID Connect provider: the browser leaves for the provider
/// and comes back.
enum OpenIDPages {
    static let departure: ConsolePath = "/sign-in/openid"
    private static let arrival: ConsolePath = "/sign-in/openid/callback"
    private static let confirmed: ConsolePath = "/sign-in/openid/confirmed"
    /// The field that requests the confirmation of the session.
    private static let confirm = "confirm"

    static func isOwn(_ path: [String]) -> Bool { path.starts(with: ["sign-in", "openid"]) }

    /// Returns the address of a link that leads to the provider.
    static func address(returningTo next: ConsolePath?) -> ConsolePath {
        departure.with("next", next?.text)
    }

    /// Returns the address of a link that leads to the provider, to confirm the session.
    /// - Parameter next: `nil` if the link opens in another tab.
    static func address(confirmingFor next: ConsolePath?) -> ConsolePath {
        address(returningTo: next ?? confirmed).with("confirm", "1")
    }

    /// - Returns: `nil` if no provider is configured or the path belongs to another page.
    static func answer(_ request: ConsoleRequest, _ operations: Operations) throws -> ConsoleAnswer? {
        guard request.method == .get, isOwn(request.path), let label = operations.openIDLabel else {
            return nil
        }
        switch ConsolePath(segments: request.path) {
        case departure: return try depart(request, label, operations)
        case arrival: return try arrive(request, label, operations)
        case confirmed:
            return ConsoleAnswer(
                200, html: Page.plain(title: .done, body: "<h1>\(.done)</h1><p>\(.goOnThere)</p>"))
        default: return nil
        }
    }

    private static func depart(
        _ request: ConsoleRequest, _ label: String, _ operations: Operations
    ) throws -> ConsoleAnswer {
        let next = request.query[OpenPages.next].flatMap(ConsolePath.init(returning:)) ?? "/"
        var session: String?
        if request.query.isOn(confirm) {
            guard RequestOrigin(of: request) != .foreign else {
                return ConsoleAnswer(403, html: Notices.forged)
            }
            guard let own = request.cookies[ConsoleCookie.session(of: request)] else {
                return .redirect(to: "/sign-in")
            }
            session = own
        }
        let departure = try operations.carryOut(
            DepartOpenID(
                origin: request.ownOrigin, path: arrival.url, next: next.text, session: session))
        switch departure {
        case .refused(let refusal): return page(refusal, label)
        case .leave(let address, let cookie):
            var answer = ConsoleAnswer(redirectingTo: address)
            answer.add(
                "set-cookie",
                ConsoleCookie.text(
                    ConsoleCookie.openID(of: request), cookie, maxAge: DepartOpenID.cookieSeconds,
                    of: request))
            return answer
        }
    }

    private static func arrive(
        _ request: ConsoleRequest, _ label: String, _ operations: Operations
    ) throws -> ConsoleAnswer {
        let (query, cookie) = (request.query, ConsoleCookie.openID(of: request))
        let arrival = try operations.carryOut(
            ArriveOpenID(
                .init(
                    code: query.exact("code"), state: query.exact("state"), issuer: query.exact("iss"),
                    error: query.exact("error"), errorText: query.exact("error_description")),
                cookie: request.cookies[cookie] ?? "",
                session: request.cookies[ConsoleCookie.session(of: request)],
                address: request.client.map { "\($0)" } ?? ""))
        var answer: ConsoleAnswer
        switch arrival {
        case .signedIn(let session, let next):
            answer = try OpenPages.signedIn(request, session, nil, next: next, operations)
        case .confirmed(let next): answer = .redirect(to: ConsolePath(returning: next) ?? "/")
        case .refused(let refusal): answer = page(refusal, label)
        }
        answer.add("set-cookie", ConsoleCookie.text(cookie, "", maxAge: 0, of: request))
        return answer
    }

    private static func page(_ refusal: OpenIDRefusal, _ label: String) -> ConsoleAnswer {
        let why = OpenIDReason(refusal, Phrase.isolated(label))
        let detail: HTML? = why.detail.map { "<p class=\"muted small\" lang=\"en\">\($0)</p>" }
        return ConsoleAnswer(
            why.status,
            html: Page.plain(
                title: .failed,
                body: """
                    <h1>\(.failed)</h1>
                    <p>\(why.text)</p>
                    \(detail)
                    \(HTML.link(.back, "/sign-in", classes: "button-wide"))
                    """))
    }
}

/// What a person reads who could not sign in with a provider.
private struct OpenIDReason {
    var status = 403
    var text: Phrase
    /// A text of the provider or of a check, in English.
    var detail: String?

    /// - Parameter label: The name of the provider, isolated.
    init(_ refusal: OpenIDRefusal, _ label: String) {
        switch refusal {
        case .noAttempt: (status, text) = (400, .noAttempt)
        case .provider(let error, let text):
            self.text = .providerError(label)
            detail = text.isEmpty ? error : "\(error): \(text)"
        case .unavailable: (status, text) = (503, .unavailable(label))
        case .notAccepted(let why): (text, detail) = (.notAccepted(label), why)
        case .noName(let claim): text = .noName(label, claim)
        case .noPerson(let name): text = .noPerson(label, Phrase.isolated(name))
        case .otherPerson(let name): text = .otherPerson(label, Phrase.isolated(name))
        case .noSession: text = .noSession
        case .notRecent: text = .notRecent(label)
        }
    }
}

extension ConsoleRequest {
    /// The scheme, the host and the port with which the browser reaches the console. The last host is what a
    /// trusted proxy received, if there is one.
    fileprivate var ownOrigin: String {
        let host = hosts.last?.split(separator: ",").last.map { String($0).trimmed } ?? ""
        return "\(isSecure ? "https" : "http")://\(host)"
    }
}

extension Phrase {
    static func signInWith(_ label: String) -> Phrase {
        let label = isolated(label)
        return Phrase("Sign in with \(label)", "Mit \(label) anmelden")
    }
    fileprivate static let failed = Phrase("You are not signed in", "Sie sind nicht angemeldet")
    fileprivate static let back = Phrase("Back to signing in", "Zurück zur Anmeldung")
    fileprivate static let done = Phrase("Confirmed", "Bestätigt")
    fileprivate static let goOnThere = Phrase(
        "Close this tab, and continue in the other one.",
        "Schließen Sie diesen Tab, und machen Sie im anderen weiter.")
    fileprivate static let noAttempt = Phrase(
        "This attempt has expired, was completed before, or began in another browser. Sign in again.",
        "Dieser Versuch ist abgelaufen, wurde schon abgeschlossen oder begann in einem anderen Browser. "
            + "Melden Sie sich erneut an.")
    fileprivate static func providerError(_ label: String) -> Phrase {
        Phrase("\(label) reports an error:", "\(label) meldet einen Fehler:")
    }
    fileprivate static func unavailable(_ label: String) -> Phrase {
        Phrase(
            "The service cannot use \(label) now. Try again in a moment. The service's log has the reason.",
            "Der Dienst kann \(label) zurzeit nicht nutzen. Versuchen Sie es gleich erneut. Der Grund steht "
                + "im Log des Dienstes.")
    }
    fileprivate static func notAccepted(_ label: String) -> Phrase {
        Phrase(
            "The service does not accept the answer of \(label). An operator needs the reason:",
            "Der Dienst nimmt die Antwort von \(label) nicht an. Nennen Sie dem Betrieb den Grund:")
    }
    fileprivate static func noName(_ label: String, _ claim: String) -> Phrase {
        Phrase(
            "\(label) does not state your name in the claim \(claim), or has not verified it. An operator "
                + "can choose another claim in web/openId/@nameClaim.",
            "\(label) nennt Ihren Namen nicht im Claim \(claim) oder hat ihn nicht geprüft. Der Betrieb kann "
                + "in web/openId/@nameClaim einen anderen wählen.")
    }
    fileprivate static func noPerson(_ label: String, _ name: String) -> Phrase {
        Phrase(
            "\(label) states the name \(name), which no person has here. Ask an admin to create this person.",
            "\(label) nennt den Namen \(name), den hier keine Person hat. Bitten Sie die Verwaltung, diese "
                + "Person anzulegen.")
    }
    fileprivate static func otherPerson(_ label: String, _ name: String) -> Phrase {
        Phrase(
            "You are signed in to \(label) as \(name), and here as another person. Nothing was confirmed.",
            "Sie sind bei \(label) als \(name) angemeldet, hier aber als andere Person. Nichts wurde "
                + "bestätigt.")
    }
    fileprivate static let noSession = Phrase(
        "Your session has ended. Sign in again.", "Ihre Sitzung ist beendet. Melden Sie sich erneut an.")
    fileprivate static func notRecent(_ label: String) -> Phrase {
        Phrase(
            "\(label) does not state that you have just signed in. An admin can send you a link with which "
                + "you set a password for such actions.",
            "\(label) bestätigt nicht, dass Sie sich gerade angemeldet haben. Die Verwaltung kann Ihnen "
                + "einen Link schicken, mit dem Sie für solche Aktionen ein Passwort festlegen.")
    }
}
