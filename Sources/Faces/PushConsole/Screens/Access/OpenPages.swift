internal import PushAPI
internal import PushModel

/// The pages for people who are not signed in: sign in, and set the password with a single-use link.
enum OpenPages {
    /// The name of the field that contains the address to return to.
    static let next = "next"
    /// The button of a person who has signed in with a provider in another tab.
    private static let resume = "_resume"

    /// - Returns: `nil` if the path does not belong to an open page.
    static func answer(_ request: ConsoleRequest, _ operations: Operations) -> ConsoleAnswer? {
        do {
            switch (request.method, request.path) {
            case (.get, ["sign-in"]): return page(request, operations)
            case (.post, ["sign-in"]): return try signIn(request, operations)
            case (.get, ["welcome"]): return try WelcomePage.show(request, operations)
            case (.post, ["welcome"]): return try WelcomePage.setPassword(request, operations)
            default: return try OpenIDPages.answer(request, operations)
            }
        } catch {
            return ConsoleAnswer(503, html: Notices.unavailable(error))
        }
    }

    /// Answers a request without a valid session. A form that was submitted after the end of the session is
    /// kept: see ``KeptForm``.
    static func noSession(_ request: ConsoleRequest, _ operations: Operations) -> ConsoleAnswer {
        if request.isFragment { return ConsoleAnswer(401, line: "the session has ended") }
        if let kept = KeptForm(of: request) { return page(request, operations, status: 401, kept: kept) }
        let path: ConsolePath = request.method == .get ? request.address : "/"
        return .redirect(
            to: path.text == "/" ? "/sign-in" : ("/sign-in" as ConsolePath).with("next", path.text))
    }

    private static func signIn(
        _ request: ConsoleRequest, _ operations: Operations
    ) throws -> ConsoleAnswer {
        guard RequestOrigin(of: request) == .own else { return ConsoleAnswer(403, html: Notices.forged) }
        let kept = KeptForm(in: request.form)
        if let kept, request.form.isOn(resume) { return try resumed(request, kept, operations) }
        let name = request.form["name"] ?? ""
        let answer = try operations.carryOut(
            BeginSession(
                name: String(name.prefix(200)),
                password: String((request.form.exact("password") ?? "").prefix(1_000)),
                address: request.client.map { "\($0)" } ?? ""))
        switch answer {
        case .wrong: return page(request, operations, status: 422, kept: kept, name: name, error: .wrong)
        case .tooManyAttempts(let seconds):
            var answer = page(
                request, operations, status: 429, kept: kept, name: name, error: .tooManyPasswords(seconds))
            answer.add("retry-after", "\(seconds)")
            return answer
        case .accepted(let session):
            return try signedIn(request, session, kept, next: request.form[next], operations)
        }
    }

    /// Shows a kept form again to a person who has signed in with a provider in another tab.
    private static func resumed(
        _ request: ConsoleRequest, _ kept: KeptForm, _ operations: Operations
    ) throws -> ConsoleAnswer {
        let token = request.cookies[ConsoleCookie.session(of: request)] ?? ""
        guard let session = try operations.carryOut(CheckSession(token: token)),
            kept.belongs(to: session.person)
        else { return page(request, operations, status: 401, kept: kept) }
        return ConsoleAnswer(200, html: kept.page(csrf: session.csrf))
    }

    /// Begins a session in the browser, and ends the former one. The session always has a new identifier,
    /// whatever cookie the browser sent.
    static func signedIn(
        _ request: ConsoleRequest, _ session: NewSession, _ kept: KeptForm?, next: String?,
        _ operations: Operations
    ) throws -> ConsoleAnswer {
        if let former = request.cookies[ConsoleCookie.session(of: request)] {
            _ = try operations.carryOut(EndSession(token: former))
        }
        var answer: ConsoleAnswer
        if let kept, kept.belongs(to: session.person.name) {
            answer = ConsoleAnswer(200, html: kept.page(csrf: session.csrf))
        } else {
            answer = .redirect(to: next.flatMap(ConsolePath.init(returning:)) ?? "/")
        }
        answer.add(
            "set-cookie", ConsoleCookie.text(ConsoleCookie.session(of: request), session.token, of: request))
        return answer
    }

    /// - Parameter kept: The form that was submitted after the end of the session; `nil` if there is none.
    private static func page(
        _ request: ConsoleRequest, _ operations: Operations, status: Int = 200, kept: KeptForm? = nil,
        name: String = "", error: Phrase? = nil
    ) -> ConsoleAnswer {
        let next = (request.method == .post ? request.form : request.query)[next]
            .flatMap(ConsolePath.init(returning:))
        if case .name(let name) = StatedPerson(in: request) {
            return ConsoleAnswer(status, html: ProxyPages.signIn(as: name, next: next))
        }
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
                    <form class="stack" method="post" action="\("/sign-in" as ConsolePath)"\
                    \("enctype", is: kept == nil ? nil : KeptForm.type)>
                    \(nextField)\(kept?.fields)
                    \(fields)
                    <button class="button button-primary button-wide">\(.signIn)</button>
                    \(provider(operations, next, isKept: kept != nil))
                    </form>
                    """,
                foot: "<p>\(.forgotten)</p>"))
    }
}

extension OpenPages {
    /// Returns the link to the provider; nothing if none is configured. A kept form stays in this page, while
    /// the person signs in in another tab.
    private static func provider(
        _ operations: Operations, _ next: ConsolePath?, isKept: Bool
    ) -> HTML {
        guard let label = operations.openIDLabel else { return .empty }
        guard isKept else {
            return HTML.link(
                .signInWith(label), OpenIDPages.address(returningTo: next), classes: "button-wide")
        }
        return """
            <a class="button button-wide" href="\(OpenIDPages.departure)" target="_blank" rel="noopener">\
            \(.signInWith(label))</a>
            <button class="button button-wide" name="\(resume)" value="1" formnovalidate>\(.resume)</button>
            """
    }
}

/// A form that was submitted after its session had ended. The page to sign in contains its fields, and after
/// signing in the person can submit it again, so that nothing is lost. Another person who signs in there does
/// not see it: the form would act with that person's rights.
struct KeptForm {
    /// The type of forms with a kept form, which can be larger than one without files may be.
    static let type = "multipart/form-data"
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
                <form class="stack" method="post" action="\(path)" enctype="\(Self.type)">
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
    fileprivate static let forgotten = Phrase(
        "Forgot your password? An admin can send you a new link.",
        "Passwort vergessen? Die Verwaltung kann Ihnen einen neuen Link schicken.")
    fileprivate static let keptForm = Phrase(
        "Your session ended before you submitted. Your input is kept: sign in and submit it again.",
        "Ihre Sitzung endete vor dem Absenden. Ihre Eingaben sind erhalten: Melden Sie sich an und senden "
            + "Sie sie erneut ab.")
    fileprivate static let resume = Phrase(
        "I have signed in in the other tab", "Ich habe mich im anderen Tab angemeldet")
    fileprivate static let welcomeBack = Phrase("Welcome back", "Willkommen zurück")
    fileprivate static let submitAgain = Phrase(
        "You are signed in. Submit the form that you filled in before.",
        "Sie sind angemeldet. Senden Sie das Formular ab, das Sie vorher ausgefüllt haben.")
    fileprivate static let send = Phrase("Submit the form", "Formular absenden")
    fileprivate static let discard = Phrase("Discard it", "Verwerfen")
}
