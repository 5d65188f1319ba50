internal import PushAPI
internal import PushModel
internal import PushWire

/// The page of a single-use link, with which a person sets a password.
enum WelcomePage {
    private static let key = "key"

    static func show(_ request: ConsoleRequest, _ operations: Operations) throws -> ConsoleAnswer {
        let key = request.query.exact(key) ?? ""
        guard let person = try operations.carryOut(CheckLink(linkKey: key)) else {
            return try unknownLink(request, operations)
        }
        return page(request, key: key, person)
    }

    static func setPassword(
        _ request: ConsoleRequest, _ operations: Operations
    ) throws -> ConsoleAnswer {
        guard RequestOrigin(of: request) == .own else { return ConsoleAnswer(403, html: Notices.forged) }
        let key = request.form.exact(key) ?? ""
        guard let person = try operations.carryOut(CheckLink(linkKey: key)) else {
            return try unknownLink(request, operations)
        }
        let password = request.form.exact("password") ?? ""
        guard password == request.form.exact("again") else {
            return page(request, key: key, person, FormErrors("again", .passwordsDiffer))
        }
        let result = Result { () throws(OperationError) in
            try operations.carryOut(SetPassword(linkKey: key, password: password))
        }
        if case .failure(let error) = result {
            guard error.kind == .refused else { return try unknownLink(request, operations) }
            return page(request, key: key, person, FormErrors(error))
        }
        let answer = try operations.carryOut(
            BeginSession(
                name: person.name, password: password, address: request.client.map { "\($0)" } ?? ""))
        guard case .accepted(let session) = answer else { return .redirect(to: "/sign-in") }
        return try OpenPages.signedIn(request, session, nil, next: nil, operations)
    }

    /// The answer to a link that has expired or was used: by the person who is signed in, as a rule.
    private static func unknownLink(
        _ request: ConsoleRequest, _ operations: Operations
    ) throws -> ConsoleAnswer {
        let token = request.cookies[ConsoleCookie.session(of: request)] ?? ""
        let session =
            token.isEmpty ? nil : try operations.carryOut(CheckSession(token: token, isUse: false))
        let next: HTML =
            session == nil
            ? HTML.link(.signIn, "/sign-in", classes: "button-primary")
            : HTML.link(.toConsole, "/", classes: "button-primary")
        return ConsoleAnswer(
            404,
            html: Page.plain(
                title: .noLink,
                body: """
                    <h1>\(.noLink)</h1><p>\(session == nil ? Phrase.askForLink : .notNeeded)</p>\
                    <p class="row">\(next)</p>
                    """))
    }

    private static func page(
        _ request: ConsoleRequest, key: String, _ person: PersonView, _ errors: FormErrors = FormErrors()
    ) -> ConsoleAnswer {
        let form = Fields(errors)
        let fields: HTML = """
            \(form.others(besides: ["password", "again"]))
            \(form.password(.password, "password", hint: .passwordHint, autocomplete: "new-password"))
            \(form.password(.samePassword, "again", autocomplete: "new-password"))
            """
        // The name lets a browser save the password for the right person.
        return ConsoleAnswer(
            errors.isEmpty ? 200 : 422,
            html: Page.plain(
                title: .welcome,
                body: """
                    <h1>\(.welcome)</h1>
                    <form class="stack" method="post" action="\("/welcome" as ConsolePath)">
                    <p>\(.setFor(person.name))</p>
                    <input type="hidden" name="\(Self.key)" value="\(key)">
                    <input type="hidden" name="name" value="\(person.name)" autocomplete="username">
                    \(fields)
                    <button class="button button-primary button-wide">\(.setPassword)</button>
                    </form>
                    """))
    }
}

extension Phrase {
    fileprivate static let welcome = Phrase("Welcome", "Willkommen")
    fileprivate static func setFor(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Set the password of \(name).", "Legen Sie das Passwort von \(name) fest.")
    }
    fileprivate static let password = Phrase("New password", "Neues Passwort")
    fileprivate static let setPassword = Phrase("Set the password", "Passwort festlegen")
    fileprivate static let signIn = Phrase("Sign in", "Anmelden")
    fileprivate static let toConsole = Phrase("Go to the console", "Zur Konsole")
    fileprivate static let notNeeded = Phrase(
        "It has expired, or it was used. You are signed in, so you do not need it.",
        "Er ist abgelaufen oder wurde benutzt. Sie sind angemeldet und brauchen ihn nicht.")
    fileprivate static let noLink = Phrase("This link is not valid", "Dieser Link ist nicht gültig")
    fileprivate static let askForLink = Phrase(
        "It has expired, or it was used. If you have no password yet, ask an admin for a new link.",
        "Er ist abgelaufen oder wurde benutzt. Wenn Sie noch kein Passwort haben, bitten Sie die Verwaltung "
            + "um einen neuen Link.")
}
