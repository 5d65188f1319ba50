internal import PushAPI
internal import PushModel

/// The pages about people.
enum PeoplePages {
    static let fields: Set = ["name", "role", "services"]
    private static let formFields: Set = ["name", "role", "services"]

    private static func page(
        _ title: Phrase, head: HTML? = nil, meta: [HTML] = [], actions: HTML = .empty, _ content: HTML
    ) -> Page {
        let crumbs: [(title: HTML, path: ConsolePath)] = [("\(NavigationItem.people.title)", "/people")]
        let head = HTML.pageHead(head ?? "\(title)", crumbs: crumbs, meta: meta, actions: actions)
        return Page(title: title, current: .people, body: "\(head)\(content)")
    }

    static func roleFields(_ form: FormFields) -> RoleFields {
        let role = form["role"].flatMap(Role.init(rawValue:)) ?? .viewer
        // The services of a role that applies to all services do not count.
        return RoleFields(role: role, services: role.takesServices ? form.all("services") : [])
    }

    static func list(_ visit: Visit) throws -> Page {
        let people = try visit.carryOut(ListPeople())
        let text = (visit.query["q"] ?? "").lowercased()
        let found = people.filter { text.isEmpty || $0.name.lowercased().contains(text) }
        let part = ListPart(of: found, visit)
        let rows = part.items.map { person -> [HTML] in
            [
                "<a href=\"\(path(person))\">\(name: person.name)</a>", "\(person.role.title)",
                services(person), state(person),
                person.lastLoginAt.map { "\(moment: $0)" } ?? "\(Phrase.never)",
            ]
        }
        let columns: [HTML.Column] = [
            .init(.name), .init(.role), .init(.services), .init(.password), .init(.lastLogin),
        ]
        let title = NavigationItem.people.title
        let new = HTML.link(.newPerson, "/people/new", classes: "button-primary")
        let search = people.count > 10 ? HTML.search("/people", label: .search, value: text) : .empty
        let content =
            rows.isEmpty
            ? HTML.emptyState(.noMatch, .noMatchText, action: HTML.link(.showAll, "/people"))
            : HTML.card(table: HTML.table(columns, rows, caption: title))
        let pager = part.pager(("/people" as ConsolePath).with("q", visit.query.given("q")))
        let body: HTML = """
            \(HTML.pageHead(title, meta: ["\(Phrase.count(people.count))"], actions: new))
            \(HTML.stack(search, content, pager))
            """
        return Page(title: title, current: .people, body: body)
    }

    private static func path(_ person: PersonView) -> ConsolePath { "/people/\(person.name)" }

    private static func services(_ person: PersonView) -> HTML {
        person.services.isEmpty ? "\(Phrase.allServices)" : HTML.names(person.services)
    }

    private static func state(_ person: PersonView) -> HTML {
        person.hasPassword ? HTML.badge(.good, .isSet) : HTML.badge(.warn, .waitsForLink)
    }

    static func creation(_ visit: Visit, _ errors: FormErrors = FormErrors()) throws -> Page {
        let form = Fields(errors)
        let html = try visit.form(action: "/people/new") {
            """
            \(form.others(besides: formFields))
            \(form.text(
                .name, "name", value: visit.form["name"] ?? "", hint: .nameHint, autocomplete: "off",
                isRequired: true))
            \(roleFields(form, visit.form["role"] ?? "viewer"))
            \(try serviceFields(visit, form, Set(visit.form.all("services"))))
            <div class="row"><a class="button" href="\("/people" as ConsolePath)">\(.backUnchanged)\
            </a>\
            <button class="button button-primary">\(Phrase.create)</button></div>
            """
        }
        return page(.newPerson, HTML.card(body: html))
    }

    private static func roleFields(_ form: Fields, _ value: String) -> HTML {
        form.select(
            .role, "role",
            Role.allCases.map { .init($0.rawValue, "\($0.title) – \($0.hint)") }, value: value)
    }

    private static func serviceFields(
        _ visit: Visit, _ form: Fields, _ values: Set<String>
    ) throws -> HTML {
        form.services(try visit.carryOut(ListServices()), values: values, hint: .servicesHint)
    }

    /// - Parameter given: The submitted fields; `nil` shows the person's values.
    static func show(
        _ visit: Visit, _ person: PersonView, _ given: FormFields? = nil, _ errors: FormErrors = FormErrors()
    ) throws -> Page {
        var list = ListSessions()
        list.name = person.name
        let sessions = try visit.carryOut(list)
        let form = Fields(errors)
        let role = given?["role"] ?? person.role.rawValue
        let services = given.map { Set($0.all("services")) } ?? Set(person.services)
        let html = try visit.form(action: "/people/\(person.name)/role") {
            """
            \(form.others(besides: formFields))\(roleFields(form, role))
            \(try serviceFields(visit, form, services))
            <div class="row"><button class="button button-primary">\(Phrase.save)</button></div>
            """
        }
        let facts = HTML.facts([
            (.password, state(person)), (.created, "\(moment: person.createdAt)"),
            (.lastLogin, person.lastLoginAt.map { "\(moment: $0)" } ?? "\(Phrase.never)"),
        ])
        let actions: HTML = """
            \(HTML.link(.resetLink, "/people/\(person.name)/reset"))\
            \(HTML.link(.removeLink, "/people/\(person.name)/remove", classes: "button-danger"))
            """
        return page(
            Phrase(same: person.name), head: "\(name: person.name)", meta: ["\(person.role.title)"],
            actions: actions,
            HTML.stack(
                HTML.card(.person, id: "person", body: facts),
                HTML.card(.roleAndServices, id: "role-card", body: html),
                sessionCard(sessions, visit, person)))
    }

    private static func sessionCard(
        _ sessions: [PersonSessionView], _ visit: Visit, _ person: PersonView
    ) -> HTML {
        guard !sessions.isEmpty else {
            return HTML.card(.sessions, id: "sessions", body: "<p>\(Phrase.noSession)</p>")
        }
        let action: ConsolePath = "/people/\(person.name)/sessions/end"
        let rows = sessions.prefix(50).map { session -> [HTML] in
            SessionParts.cells(session) + [
                visit.form(action: action, classes: "inline") {
                    """
                    <input type="hidden" name="session" value="\(number: session.id)">\
                    <button class="button button-small">\(Phrase.end)</button>
                    """
                }
            ]
        }
        return HTML.card(
            .sessions, id: "sessions", table: HTML.table(SessionParts.columns + [.actions], Array(rows)),
            foot: visit.button(.endAll, action: action))
    }

    /// The only page that contains a person's link.
    static func link(_ visit: Visit, _ new: PersonLinkView, _ title: Phrase) -> Page {
        let host = visit.request.hosts.first ?? ""
        let scheme = visit.request.isSecure ? "https" : "http"
        let address = host.isEmpty ? new.link : "\(scheme)://\(host)\(new.link)"
        let card = HTML.card(
            .link, id: "link-title",
            body: """
                <p>\(Phrase.giveLink(new.person.name))</p>\(HTML.secret(address, id: "link"))
                <p>\(Phrase.validUntil) \(moment: new.expiresAt)</p>
                """,
            foot: HTML.link(.goOn, path(new.person), classes: "button-primary"))
        return page(title, meta: ["\(name: new.person.name)"], card)
    }

    static func reset(_ visit: Visit, _ person: PersonView) -> Page {
        let title = Phrase.resetTitle(person.name)
        let body = HTML.confirmation(
            visit, title: "\(title)", consequence: "\(Phrase.resetText)",
            action: "/people/\(person.name)/reset", label: .resetButton, back: path(person))
        return Page(title: title, current: .people, body: body)
    }

    static func removal(_ visit: Visit, _ person: PersonView) -> Page {
        let title = Phrase.removeTitle(person.name)
        let body = HTML.confirmation(
            visit, title: "\(title)", consequence: "\(Phrase.removeText)",
            facts: HTML.facts([
                (.role, "\(person.role.title)"), (.created, "\(moment: person.createdAt)"),
            ]), action: "/people/\(person.name)/remove", label: .removeButton, back: path(person),
            alternative: HTML.link(.resetLink, "/people/\(person.name)/reset"))
        return Page(title: title, current: .people, body: body)
    }
}

/// What tables of sessions show.
enum SessionParts {
    static let columns: [HTML.Column] = [
        .init(.begun), .init(.lastUsed), .init(.ends), .init(.address),
    ]

    static func cells(_ session: PersonSessionView) -> [HTML] {
        [
            "\(moment: session.createdAt)", "\(moment: session.lastUsedAt)", "\(moment: session.endsAt)",
            HTML(session.address.isEmpty ? "–" : session.address),
        ]
    }
}

extension Phrase {
    fileprivate static let newPerson = Phrase("New person", "Neue Person")
    fileprivate static let search = Phrase("Name", "Name")
    fileprivate static func count(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 person", "1 Person")) { Phrase("\($0) people", "\($0) Personen") }
    }
    fileprivate static let noMatch = Phrase("No person matches", "Keine passende Person")
    fileprivate static let noMatchText = Phrase(
        "Search for a part of the name.", "Suchen Sie nach einem Teil des Namens.")
    fileprivate static let showAll = Phrase("Show all people", "Alle Personen zeigen")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let nameHint = Phrase(
        "Letters, digits and . _ - @, for example anna or anna@example.com",
        "Buchstaben, Ziffern und . _ - @, zum Beispiel anna oder anna@example.com")
    fileprivate static let role = Phrase("Role", "Rolle")
    fileprivate static let services = Phrase("Services", "Dienste")
    fileprivate static let servicesHint = Phrase(
        "Only for viewers and marketers. Choose none to permit all.",
        "Nur für Betrachter und Marketing. Wählen Sie keinen, um alle zu erlauben.")
    fileprivate static let allServices = Phrase("All", "Alle")
    fileprivate static let password = Phrase("Password", "Passwort")
    fileprivate static let isSet = Phrase("Set", "Festgelegt")
    fileprivate static let waitsForLink = Phrase("Link not used yet", "Link noch nicht benutzt")
    fileprivate static let lastLogin = Phrase("Last sign-in", "Letzte Anmeldung")
    fileprivate static let never = Phrase("Never", "Nie")
    fileprivate static let create = Phrase("Create the person", "Person anlegen")
    fileprivate static let save = Phrase("Save", "Speichern")
    fileprivate static let created = Phrase("Created", "Angelegt")
    fileprivate static let person = Phrase("Person", "Person")
    fileprivate static let roleAndServices = Phrase("Role and services", "Rolle und Dienste")
    fileprivate static let sessions = Phrase("Sessions", "Sitzungen")
    fileprivate static let noSession = Phrase("Not signed in anywhere.", "Nirgends angemeldet.")
    fileprivate static let end = Phrase("End", "Beenden")
    fileprivate static let endAll = Phrase("End all sessions", "Alle Sitzungen beenden")
    fileprivate static let link = Phrase("Link to set the password", "Link zum Festlegen des Passworts")
    fileprivate static func giveLink(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase(
            "Give this link to \(name) over a secure channel. It works once, and this page shows it once.",
            "Geben Sie \(name) diesen Link auf sicherem Weg. Er gilt einmal, und diese Seite zeigt ihn nur "
                + "einmal.")
    }
    fileprivate static let validUntil = Phrase("Valid until", "Gültig bis")
    fileprivate static let goOn = Phrase("Go to the person", "Zur Person")
    fileprivate static let resetLink = Phrase("Reset the password…", "Passwort zurücksetzen…")
    fileprivate static let removeLink = Phrase("Remove…", "Entfernen…")
    fileprivate static func resetTitle(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Reset the password of \(name)?", "Passwort von \(name) zurücksetzen?")
    }
    fileprivate static let resetText = Phrase(
        "The password is deleted and all sessions end. The next page shows a link with which the person sets "
            + "a new password.",
        "Das Passwort wird gelöscht, alle Sitzungen enden. Die nächste Seite zeigt einen Link, mit dem die "
            + "Person ein neues Passwort festlegt.")
    fileprivate static let resetButton = Phrase("Reset the password", "Passwort zurücksetzen")
    fileprivate static func removeTitle(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Remove \(name)?", "\(name) entfernen?")
    }
    fileprivate static let removeText = Phrase(
        "All sessions end, and the person can no longer sign in. The audit trail keeps what the person did. "
            + "This cannot be undone. To only end the sessions, reset the password.",
        "Alle Sitzungen enden, und die Person kann sich nicht mehr anmelden. Das Protokoll behält, was sie "
            + "getan hat. Das lässt sich nicht rückgängig machen. Um nur die Sitzungen zu beenden, setzen "
            + "Sie das Passwort zurück.")
    fileprivate static let removeButton = Phrase("Remove the person", "Person entfernen")
    fileprivate static let begun = Phrase("Since", "Seit")
    fileprivate static let lastUsed = Phrase("Last used", "Zuletzt benutzt")
    fileprivate static let ends = Phrase("Ends if not used", "Endet ohne Nutzung")
    fileprivate static let address = Phrase("Address", "Adresse")
}
