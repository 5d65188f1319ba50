internal import PushAPI
internal import PushModel
internal import PushSystem

/// The account of the person who is signed in: language, time zone, password and sessions.
enum OwnAccountScreens: ScreenGroup {
    static let notices = [saved, passwordChanged, othersEnded]
    private static let saved = Notice("account.saved", .saved)
    private static let passwordChanged = Notice("account.password", .passwordChanged)
    private static let othersEnded = Notice("account.others-ended", .othersEnded)
    private static let year = 31_536_000

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/account", needs: nil) { visit in .page(try page(visit)) },
        ConsoleRoute(.post, "/account", needs: nil, answer: save),
        ConsoleRoute(.post, "/account/password", needs: nil, answer: changePassword),
        ConsoleRoute(.post, "/account/sessions/end", needs: nil) { visit in
            _ = try visit.operations.carryOut(EndOtherSessions(token: visit.token))
            return .redirect("/account", notice: othersEnded)
        },
    ]

    @Sendable private static func save(_ visit: Visit) throws -> Reply {
        let zone = visit.form["zone"] ?? ""
        guard zone.isEmpty || SystemZones.zone(named: zone) != nil else {
            return .refused(422, try page(visit, FormErrors("zone", .unknownZone)))
        }
        var reply = Reply.redirect("/account", notice: saved)
        if let language = visit.form["language"].flatMap(Language.init(rawValue:)) {
            reply.cookies.append(
                ConsoleCookie.text(
                    ConsoleCookie.language, language.rawValue, maxAge: year, of: visit.request))
        }
        // Without a choice, the browser's zone is used. The script cannot overwrite a chosen one.
        reply.cookies.append(
            ConsoleCookie.text(
                ConsoleCookie.zone, zone, maxAge: zone.isEmpty ? 0 : year, of: visit.request))
        return reply
    }

    @Sendable private static func changePassword(_ visit: Visit) throws -> Reply {
        let form = visit.form
        let new = form.exact("new") ?? ""
        guard new == form.exact("again") else {
            return .refused(422, try page(visit, FormErrors("again", .passwordsDiffer)))
        }
        let attempt = try visit.attempt(fields: ["new"]) {
            try visit.operations.carryOut(
                ChangePassword(
                    token: visit.token, password: form.exact(FormNames.password) ?? "", newPassword: new,
                    address: visit.request.client.map { "\($0)" } ?? ""))
        }
        switch attempt {
        case .done(.accepted(let session)):
            var reply = Reply.redirect("/account", notice: passwordChanged)
            reply.cookies = [
                ConsoleCookie.text(ConsoleCookie.session(of: visit.request), session.token, of: visit.request)
            ]
            return reply
        case .done(.wrong):
            return .refused(422, try page(visit, FormErrors(FormNames.password, .wrongPassword)))
        case .done(.tooManyAttempts(let seconds)):
            return .refused(429, try page(visit, FormErrors(FormNames.password, .tooManyPasswords(seconds))))
        case .refused(let errors): return .refused(422, try page(visit, errors))
        }
    }

    private static func page(_ visit: Visit, _ errors: FormErrors = FormErrors()) throws -> Page {
        let session = visit.session
        let services: HTML =
            session.services.isEmpty ? "\(Phrase.allServices)" : HTML.names(session.services, atMost: 20)
        let facts = HTML.facts([
            (.name, "\(name: session.person)"), (.role, "\(session.role.title)"), (.services, services),
            (.signedIn, "\(moment: session.since)"),
        ])
        let body: HTML = """
            \(HTML.pageHead(Phrase.title))
            \(HTML.stack(
                HTML.card(.you, id: "you", body: facts), presentation(visit, errors), password(visit, errors),
                try sessions(visit)))
            """
        return Page(title: .title, current: nil, body: body)
    }

    private static func presentation(_ visit: Visit, _ errors: FormErrors) -> HTML {
        let fields = Fields(errors)
        let languages = Language.allCases.map {
            Fields.Choice($0.rawValue, Phrase(same: $0.ownName))
        }
        let isSubmitted = visit.form.exact("zone") != nil
        let zone = isSubmitted ? visit.form["zone"] ?? "" : Presentation.current.zoneName
        let form = visit.form(action: "/account") {
            """
            \(fields.choices(
                .language, "language", languages,
                value: visit.form["language"] ?? visit.language.rawValue))
            \(fields.text(.zone, "zone", value: zone, hint: .zoneHint, autocomplete: "off"))
            <div class="row"><button class="button button-primary">\(Phrase.save)</button></div>
            """
        }
        return HTML.card(.presentation, id: "presentation", body: form)
    }

    private static func password(_ visit: Visit, _ errors: FormErrors) -> HTML {
        guard visit.session.hasPassword else {
            return HTML.card(.password, id: "password", body: "<p>\(Phrase.noPassword)</p>")
        }
        let fields = Fields(errors)
        let form = visit.form(action: "/account/password") {
            """
            \(fields.others(besides: [FormNames.password, "new", "again", "zone", "language"]))
            <input type="hidden" name="name" value="\(visit.session.person)" autocomplete="username">
            \(fields.password(.present, FormNames.password, autocomplete: "current-password"))
            \(fields.password(.new, "new", hint: .passwordHint, autocomplete: "new-password"))
            \(fields.password(.samePassword, "again", autocomplete: "new-password"))
            <div class="row"><button class="button button-primary">\(Phrase.change)</button></div>
            """
        }
        return HTML.card(.password, id: "password", note: "\(Phrase.passwordNote)", body: form)
    }

    private static func sessions(_ visit: Visit) throws -> HTML {
        guard let own = try visit.operations.carryOut(ListOwnSessions(token: visit.token)) else {
            return .empty
        }
        let rows = own.sessions.prefix(50).map { session -> [HTML] in
            SessionParts.cells(session) + [
                session.id == own.present ? HTML.badge(.good, .thisOne) : HTML.badge(.neutral, .other)
            ]
        }
        let columns = SessionParts.columns + [HTML.Column(.session)]
        let button: HTML? =
            own.sessions.count > 1 ? visit.button(.endOthers, action: "/account/sessions/end") : nil
        return HTML.card(
            .sessions, id: "sessions", table: HTML.table(columns, Array(rows)), foot: button)
    }
}

extension Phrase {
    fileprivate static let title = Phrase("My account", "Mein Konto")
    fileprivate static let saved = Phrase(
        "Your settings were saved.", "Ihre Einstellungen wurden gespeichert.")
    fileprivate static let passwordChanged = Phrase(
        "The password was changed. All other sessions were ended.",
        "Das Passwort wurde geändert. Alle anderen Sitzungen wurden beendet.")
    fileprivate static let othersEnded = Phrase(
        "Your other sessions were ended.", "Ihre anderen Sitzungen wurden beendet.")
    fileprivate static let unknownZone = Phrase(
        "There is no such time zone. Enter for example Europe/Berlin.",
        "Diese Zeitzone gibt es nicht. Geben Sie zum Beispiel Europe/Berlin ein.")
    fileprivate static let you = Phrase("You", "Sie")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let role = Phrase("Role", "Rolle")
    fileprivate static let services = Phrase("Services", "Dienste")
    fileprivate static let allServices = Phrase("All", "Alle")
    fileprivate static let signedIn = Phrase("Signed in since", "Angemeldet seit")
    fileprivate static let presentation = Phrase("Language and time zone", "Sprache und Zeitzone")
    fileprivate static let language = Phrase("Language", "Sprache")
    fileprivate static let zone = Phrase("Time zone", "Zeitzone")
    fileprivate static let zoneHint = Phrase(
        "For example Europe/Berlin. Leave it empty to use your browser's.",
        "Zum Beispiel Europe/Berlin. Leer: die Ihres Browsers.")
    fileprivate static let save = Phrase("Save", "Speichern")
    fileprivate static let password = Phrase("Password", "Passwort")
    fileprivate static let noPassword = Phrase(
        "You have no password. An admin can send you a link with which you set one.",
        "Sie haben kein Passwort. Die Verwaltung kann Ihnen einen Link schicken, mit dem Sie eines "
            + "festlegen.")
    fileprivate static let passwordNote = Phrase("Ends your other sessions", "Beendet Ihre anderen Sitzungen")
    fileprivate static let present = Phrase("Current password", "Aktuelles Passwort")
    fileprivate static let new = Phrase("New password", "Neues Passwort")
    fileprivate static let change = Phrase("Change the password", "Passwort ändern")
    fileprivate static let sessions = Phrase("My sessions", "Meine Sitzungen")
    fileprivate static let session = Phrase("Session", "Sitzung")
    fileprivate static let thisOne = Phrase("This one", "Diese")
    fileprivate static let other = Phrase("Another browser", "Anderer Browser")
    fileprivate static let endOthers = Phrase("End my other sessions", "Meine anderen Sitzungen beenden")
}
