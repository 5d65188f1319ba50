internal import PushAPI
internal import PushModel

/// People whose name a trusted proxy states in a header field: `web/@personHeader`.
enum ProxyPages {
    /// Answers a request of a browser that has no session of the stated person. A session of another person
    /// ends.
    static func begin(
        _ stated: String?, _ request: ConsoleRequest, _ operations: Operations
    ) throws -> ConsoleAnswer {
        let address = request.client.map { "\($0)" } ?? ""
        if !request.isFragment, let stated,
            let session = try operations.carryOut(BeginProxySession(name: stated, address: address))
        {
            let next = request.method == .get ? request.address.text : nil
            return try OpenPages.signedIn(
                request, session, KeptForm(of: request), next: next, operations)
        }
        let cookie = ConsoleCookie.session(of: request)
        var answer =
            request.isFragment
            ? ConsoleAnswer(401, line: "the session has ended")
            : ConsoleAnswer(403, html: page(stated.map { .noPerson(shown($0)) } ?? .noName))
        guard let former = request.cookies[cookie] else { return answer }
        _ = try operations.carryOut(EndSession(token: former))
        answer.add("set-cookie", ConsoleCookie.text(cookie, "", maxAge: 0, of: request))
        return answer
    }

    /// Returns the page to sign in for a person whom the proxy states.
    static func signIn(as name: String, next: ConsolePath?) -> HTML {
        Page.plain(
            title: .signIn,
            body: """
                <h1>\(.signIn)</h1>
                \(HTML.link(.goOn(shown(name)), next ?? "/", classes: "button-primary button-wide"))
                """, foot: "<p>\(.signOutThere)</p>")
    }

    private static func page(_ text: Phrase) -> HTML {
        Page.plain(title: .failed, body: "<h1>\(.failed)</h1><p>\(text)</p>")
    }

    private static func shown(_ name: String) -> String {
        Phrase.isolated(name.printable(atMost: PersonName.maximumBytes))
    }
}

/// What a trusted proxy states about the person who uses a browser.
enum StatedPerson {
    /// The proxy states no person, or none may.
    case noPerson
    case name(String)
    /// The proxy states several people, or a text that is not a name.
    case unusable(String?)

    init(in request: ConsoleRequest) {
        let stated = request.statedPeople.map(\.trimmed).filter { !$0.isEmpty }
        guard let first = stated.first else {
            self = .noPerson
            return
        }
        guard stated.count == 1 else {
            self = .unusable(nil)
            return
        }
        self = PersonName(first) == nil ? .unusable(first) : .name(first)
    }

    var statesNoPerson: Bool { if case .noPerson = self { true } else { false } }

    /// Whether a session belongs to the stated person.
    func isPerson(of session: SessionView) -> Bool {
        guard case .name(let name) = self, let key = PersonName(name)?.key else { return false }
        return PersonName(session.person)?.key == key
    }
}

extension Phrase {
    fileprivate static let signIn = Phrase("Sign in", "Anmelden")
    fileprivate static func goOn(_ name: String) -> Phrase {
        Phrase("Continue as \(name)", "Weiter als \(name)")
    }
    fileprivate static let signOutThere = Phrase(
        "The proxy in front of the console signs you in and out.",
        "Der Proxy vor der Konsole meldet Sie an und ab.")
    fileprivate static let failed = Phrase("You are not signed in", "Sie sind nicht angemeldet")
    fileprivate static func noPerson(_ name: String) -> Phrase {
        Phrase(
            "The proxy states the name \(name), which no person has here. Ask an admin to create this "
                + "person, and load the page again.",
            "Der Proxy nennt den Namen \(name), den hier keine Person hat. Bitten Sie die Verwaltung, diese "
                + "Person anzulegen, und laden Sie die Seite neu.")
    }
    fileprivate static let noName = Phrase(
        "The proxy states several names. An operator must make it replace the header field that "
            + "web/@personHeader names.",
        "Der Proxy nennt mehrere Namen. Der Betrieb muss dafür sorgen, dass er das Header-Feld ersetzt, das "
            + "web/@personHeader nennt.")
}
