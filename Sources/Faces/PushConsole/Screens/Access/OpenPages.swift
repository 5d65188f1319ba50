internal import PushAPI
internal import PushModel

/// The pages for people who are not signed in: sign in, and set the password with a single-use link.
enum OpenPages {
    /// The name of the field that contains the address to return to.
    static let next = "next"

    /// - Returns: `nil` if the path does not belong to an open page.
    static func answer(_ request: ConsoleRequest, _ operations: Operations) -> ConsoleAnswer? {
        do {
            switch (request.method, request.path) {
            case (.get, ["sign-in"]): return page(request)
            case (.post, ["sign-in"]): return try signIn(request, operations)
            case (.get, ["welcome"]): return try WelcomePage.show(request, operations)
            case (.post, ["welcome"]): return try WelcomePage.setPassword(request, operations)
            default: return nil
            }
        } catch {
            return ConsoleAnswer(503, html: Notices.unavailable(error))
        }
    }

    /// Answers a request without a valid session. A form that was submitted after the end of the session is
    /// kept: see ``KeptForm``.
    static func noSession(_ request: ConsoleRequest) -> ConsoleAnswer {
        if request.isFragment { return ConsoleAnswer(401, line: "the session has ended") }
        if let kept = KeptForm(of: request) { return page(request, status: 401, kept: kept) }
        let path: ConsolePath = request.method == .get ? request.address : "/"
        return .redirect(
            to: path.text == "/" ? "/sign-in" : ("/sign-in" as ConsolePath).with("next", path.text))
    }

    private static func signIn(
        _ request: ConsoleRequest, _ operations: Operations
    ) throws -> ConsoleAnswer {
        guard RequestOrigin(of: request) == .own else { return ConsoleAnswer(403, html: Notices.forged) }
        let kept = KeptForm(in: request.form)
        let name = request.form["name"] ?? ""
        let answer = try operations.carryOut(
            BeginSession(
                name: String(name.prefix(200)),
                password: String((request.form.exact("password") ?? "").prefix(1_000)),
                address: request.client.map { "\($0)" } ?? ""))
        switch answer {
        case .wrong: return page(request, status: 422, kept: kept, name: name, error: .wrong)
        case .tooManyAttempts(let seconds):
            var answer = page(request, status: 429, kept: kept, name: name, error: .tooMany(seconds))
            answer.add("retry-after", "\(seconds)")
            return answer
        case .accepted(let session):
            return try signedIn(request, session, kept, operations)
        }
    }

    /// Begins a session in the browser, and ends the former one. The session always has a new identifier,
    /// whatever cookie the browser sent.
    static func signedIn(
        _ request: ConsoleRequest, _ session: NewSession, _ kept: KeptForm?, _ operations: Operations
    ) throws -> ConsoleAnswer {
        if let former = request.cookies[ConsoleCookie.session(of: request)] {
            _ = try operations.carryOut(EndSession(token: former))
        }
        var answer: ConsoleAnswer
        if let kept, kept.belongs(to: session.person.name) {
            answer = ConsoleAnswer(200, html: kept.page(csrf: session.csrf))
        } else {
            let path = request.form[next].flatMap(ConsolePath.init(returning:)) ?? "/"
            answer = .redirect(to: path)
        }
        answer.add(
            "set-cookie", ConsoleCookie.text(ConsoleCookie.session(of: request), session.token, of: request))
        return answer
    }

    /// - Parameter kept: The form that was submitted after the end of the session; `nil` if there is none.
    private static func page(
        _ request: ConsoleRequest, status: Int = 200, kept: KeptForm? = nil, name: String = "",
        error: Phrase? = nil
    ) -> ConsoleAnswer {
        let next = (request.method == .post ? request.form : request.query)[next]
            .flatMap(ConsolePath.init(returning:))
        let nextField: HTML? = next.map {
            "<input type=\"hidden\" name=\"\(Self.next)\" value=\"\($0.text)\">"
        }
        let form = Fields(error.map { FormErrors("password", $0) } ?? FormErrors())
        let fields: HTML = """
            \(form.text(.name, "name", value: name, autocomplete: "username", isRequired: true))
            \(form.password(.password, "password", autocomplete: "current-password"))
            """
        return ConsoleAnswer(
            status,
            html: Page.plain(
                title: .signIn,
                body: """
                    <h1>\(.signIn)</h1>
                    <p class="muted">\(request.hosts.first ?? "")</p>
                    \(kept.map { _ in HTML.note(.keptForm, tone: .warn) })
                    <form class="stack" method="post" action="\("/sign-in" as ConsolePath)">
                    \(nextField)\(kept?.fields)
                    \(fields)
                    <button class="button button-primary button-wide">\(.signIn)</button>
                    </form>
                    """,
                foot: "<p>\(.forgotten)</p>"))
    }
}

/// A form that was submitted after its session had ended. The page to sign in contains its fields, and after
/// signing in the person can submit it again, so that nothing is lost. Another person who signs in there does
/// not see it: the form would act with that person's rights.
struct KeptForm {
    private static let prefix = "_kept."
    private static let action = "_action"
    private let path: ConsolePath
    private let content: FormFields
    private let person: String

    /// `nil` if the request submits no form that a person has filled in, or does not come from a page of the
    /// console.
    init?(of request: ConsoleRequest) {
        path = request.address
        // A file is not kept, so its password is useless.
        content = request.form.without(
            FormNames.all.union([FormNames.certificatePassword]).subtracting([FormNames.key]))
        person = request.form.exact(FormNames.owner) ?? ""
        let isFilledIn = content.fields.contains { $0.name != FormNames.key && !$0.value.isEmpty }
        guard request.method == .post, isFilledIn, !AccessScreens.own.contains(request.path),
            RequestOrigin(of: request) == .own
        else { return nil }
    }

    /// `nil` if the form contains no kept form.
    init?(in form: FormFields) {
        guard let path = form.exact(Self.action).flatMap(ConsolePath.init(returning:)) else { return nil }
        self.path = path
        person = form.exact(FormNames.owner) ?? ""
        content = FormFields(
            form.fields.compactMap { field in
                field.name.hasPrefix(Self.prefix)
                    ? FormFields.Field(
                        name: String(field.name.dropFirst(Self.prefix.count)), value: field.value) : nil
            })
    }

    /// The hidden fields of the page to sign in.
    var fields: HTML {
        let fields = content.fields.map {
            FormFields.Field(name: Self.prefix + $0.name, value: $0.value)
        }
        let own: [FormFields.Field] = [
            .init(name: Self.action, value: path.text), .init(name: FormNames.owner, value: person),
        ]
        return Visit.hidden(FormFields(fields + own))
    }

    /// Whether the page with the form was shown to this person.
    func belongs(to name: String) -> Bool { person == name }

    /// Returns the page that submits the form again.
    func page(csrf: String) -> HTML {
        Page.plain(
            title: .welcomeBack,
            body: """
                <h1>\(.welcomeBack)</h1>
                <form class="stack" method="post" action="\(path)">
                <p>\(.submitAgain)</p>
                \(Visit.hidden(content))
                <input type="hidden" name="\(FormNames.csrf)" value="\(csrf)">
                <input type="hidden" name="\(FormNames.owner)" value="\(person)">
                <button class="button button-primary button-wide">\(.send)</button>
                <a class="button button-wide" href="\("/" as ConsolePath)">\(.discard)</a>
                </form>
                """)
    }
}

extension Phrase {
    fileprivate static let signIn = Phrase("Sign in", "Anmelden")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let password = Phrase("Password", "Passwort")
    fileprivate static let wrong = Phrase(
        "Name and password do not match. Check both.",
        "Name und Passwort passen nicht zusammen. Prüfen Sie beide.")
    fileprivate static func tooMany(_ seconds: Int) -> Phrase {
        let duration = Formats.duration(seconds: seconds)
        return Phrase(
            "There were too many wrong passwords. Try again in \(duration).",
            "Es gab zu viele falsche Passwörter. Versuchen Sie es in \(duration) erneut.")
    }
    fileprivate static let forgotten = Phrase(
        "Forgot your password? An admin can send you a new link.",
        "Passwort vergessen? Die Verwaltung kann Ihnen einen neuen Link schicken.")
    fileprivate static let keptForm = Phrase(
        "Your session ended before you submitted. Your input is kept: sign in and submit it again.",
        "Ihre Sitzung endete vor dem Absenden. Ihre Eingaben sind erhalten: Melden Sie sich an und senden "
            + "Sie sie erneut ab.")
    fileprivate static let welcomeBack = Phrase("Welcome back", "Willkommen zurück")
    fileprivate static let submitAgain = Phrase(
        "You are signed in. Submit the form that you filled in before.",
        "Sie sind angemeldet. Senden Sie das Formular ab, das Sie vorher ausgefüllt haben.")
    fileprivate static let send = Phrase("Submit the form", "Formular absenden")
    fileprivate static let discard = Phrase("Discard it", "Verwerfen")
}
