internal import PushAPI
internal import PushModel
internal import PushWire

/// The API's tokens. A token's secret is shown once.
enum TokenScreens: ScreenGroup {
    static let notices = [revoked]
    private static let revoked = Notice("token.revoked", .revoked)
    private static let fields: Set = ["name", "scopes", "services"]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/tokens", needs: .admin) { visit in .page(try list(visit)) },
        ConsoleRoute(.get, "/tokens/new", needs: .admin) { visit in .page(try creation(visit)) },
        ConsoleRoute(.post, "/tokens/new", needs: .admin, guarded: true, once: true) { visit in
            let attempt = try visit.attempt(fields: fields) {
                var body = [
                    JSONMember(key: "name", value: .string(visit.form["name"] ?? "")),
                    JSONMember(key: "scopes", value: .array(visit.form.all("scopes").map { .string($0) })),
                ]
                let services = visit.form.all("services")
                if !services.isEmpty {
                    body.append(JSONMember(key: "services", value: .array(services.map { .string($0) })))
                }
                return try visit.carryOut(CreateAccessToken.request(body: body))
            }
            switch attempt {
            case .done(let new): return .outcome(secret(new))
            case .refused(let errors): return .refused(422, try creation(visit, errors))
            }
        },
        ConsoleRoute(.get, "/tokens/{name}/revoke", needs: .admin) { visit in .page(try revocation(visit)) },
        ConsoleRoute(.post, "/tokens/{name}/revoke", needs: .admin, guarded: true) { visit in
            var revoke = RevokeAccessToken()
            revoke.name = visit.name("name")
            _ = try visit.carryOut(revoke)
            return .redirect("/tokens", notice: revoked)
        },
    ]

    private static func list(_ visit: Visit) throws -> Page {
        let tokens = try visit.carryOut(ListAccessTokens())
        let valid = tokens.filter { $0.revokedAt == nil }
        let part = ListPart(of: valid + tokens.filter { $0.revokedAt != nil }, visit)
        let title = NavigationItem.tokens.title
        let new =
            visit.isPermitted(CreateAccessToken.self)
            ? HTML.link(.newToken, "/tokens/new", classes: "button-primary") : .empty
        guard !tokens.isEmpty else {
            let empty = HTML.emptyState(.nothing, .nothingText, action: new)
            return Page(title: title, current: .tokens, body: "\(HTML.pageHead(title))\(empty)")
        }
        let rows = part.items.map { token -> [HTML] in
            let state =
                token.revokedAt.map {
                    "\(HTML.badge(.neutral, .revokedState))<small>\(moment: $0)</small>" as HTML
                }
                ?? HTML.badge(.good, .valid)
            let revoke: HTML =
                token.revokedAt == nil && visit.isPermitted(RevokeAccessToken.self)
                ? HTML.link(
                    .revoke, "/tokens/\(token.name)/revoke", classes: "button-small", subject: token.name)
                : .empty
            return [
                "\(name: token.name)", state, scopes(of: token), services(of: token),
                "\(moment: token.createdAt)", revoke,
            ]
        }
        let columns: [HTML.Column] = [
            .init(.name), .init(.state), .init(.scopes), .init(.services), .init(.created), .actions,
        ]
        let body: HTML = """
            \(HTML.pageHead(title, meta: ["\(Phrase.summary(valid.count))"], actions: new))
            \(HTML.card(table: HTML.table(columns, rows, caption: title)))
            \(part.pager("/tokens"))
            """
        return Page(title: title, current: .tokens, body: body)
    }

    private static func scopes(of token: AccessTokenView) -> HTML {
        token.scopes.map { "\($0.title)" as HTML }.joined(by: ", ")
    }

    private static func services(of token: AccessTokenView) -> HTML {
        guard let services = token.services else { return "\(Phrase.allServices)" }
        // A token whose services were all deleted can see nothing.
        return services.isEmpty ? "\(Phrase.noServices)" : HTML.names(services)
    }

    private static func page(_ title: Phrase, _ content: HTML) -> Page {
        let crumbs: [(title: HTML, path: ConsolePath)] = [("\(NavigationItem.tokens.title)", "/tokens")]
        return Page(
            title: title, current: .tokens, body: "\(HTML.pageHead(title, crumbs: crumbs))\(content)")
    }

    private static func creation(_ visit: Visit, _ errors: FormErrors = FormErrors()) throws -> Page {
        let form = Fields(errors)
        let given = visit.form
        // Only a person with a scope may give the scope `people`.
        let choices = AccessScope.allCases.filter { $0 != .people || visit.isPermitted(.people) }
            .map { Fields.Choice($0.rawValue, $0.title, hint: $0.hint) }
        let html = try visit.form(action: "/tokens/new") {
            """
            \(form.others(besides: fields))
            \(form.text(.name, "name", value: given["name"] ?? "", hint: .nameHint, isRequired: true))
            \(form.checks(.scopes, "scopes", choices, values: Set(given.all("scopes"))))
            \(form.services(
                try visit.carryOut(ListServices()), values: Set(given.all("services")), hint: .servicesHint))
            <div class="row"><a class="button" href="\("/tokens" as ConsolePath)">\(.backUnchanged)\
            </a>\
            <button class="button button-primary">\(Phrase.create)</button></div>
            """
        }
        return page(.newToken, HTML.card(body: html))
    }

    /// The only page that contains a token.
    private static func secret(_ new: NewAccessToken) -> Page {
        page(
            .created(new.grant.name),
            HTML.card(
                .secret, id: "secret-title",
                body: "<p>\(Phrase.onlyNow)</p>\(HTML.secret(new.token, id: "secret"))",
                foot: HTML.link(.goOn, "/tokens", classes: "button-primary")))
    }

    private static func revocation(_ visit: Visit) throws -> Page {
        let name = visit.name("name")
        let tokens = try visit.carryOut(ListAccessTokens())
        guard let token = tokens.first(where: { $0.name == name && $0.revokedAt == nil }) else {
            throw Refusal.notFound
        }
        let title = Phrase.revokeTitle(name)
        let body = HTML.confirmation(
            visit, title: "\(title)", consequence: "\(Phrase.revokeText)",
            facts: HTML.facts([
                (.scopes, scopes(of: token)), (.services, services(of: token)),
                (.created, "\(moment: token.createdAt)"),
            ]), action: "/tokens/\(name)/revoke", label: .revokeButton, back: "/tokens")
        return Page(title: title, current: .tokens, body: body)
    }
}

extension AccessScope {
    var title: Phrase {
        switch self {
        case .read: Phrase("Read", "Lesen")
        case .send: Phrase("Send", "Senden")
        case .admin: Phrase("Administer", "Betreiben")
        case .people: Phrase("Manage people", "Personen verwalten")
        }
    }

    var hint: Phrase {
        switch self {
        case .read:
            Phrase(
                "Read deliveries, statistics, subscribers and status",
                "Zustellungen, Statistiken, Abonnenten und Zustand lesen")
        case .send:
            Phrase("Submit and control deliveries and messages", "Zustellungen einreichen und steuern")
        case .admin:
            Phrase(
                "Change services, apps, subscribers, quarantine and tokens",
                "Dienste, Apps, Abonnenten, Quarantäne und Token ändern")
        case .people: Phrase("Create people and change their roles", "Personen anlegen und Rollen ändern")
        }
    }
}

extension Phrase {
    fileprivate static let revoked = Phrase("The token was revoked.", "Das Token wurde widerrufen.")
    fileprivate static let newToken = Phrase("New token", "Neues Token")
    fileprivate static let nothing = Phrase("There is no token yet", "Es gibt noch kein Token")
    fileprivate static let nothingText = Phrase(
        "A program needs a token to use the API.", "Ein Programm braucht ein Token, um die API zu nutzen.")
    fileprivate static func summary(_ count: Int) -> Phrase {
        .counted(count, one: Phrase("1 valid token", "1 gültiges Token")) {
            Phrase("\($0) valid tokens", "\($0) gültige Token")
        }
    }
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let nameHint = Phrase(
        "The audit trail shows it for each change, for example crm.",
        "Das Protokoll zeigt ihn bei jeder Änderung, zum Beispiel crm.")
    fileprivate static let state = Phrase("State", "Zustand")
    fileprivate static let valid = Phrase("Valid", "Gültig")
    fileprivate static let revokedState = Phrase("Revoked", "Widerrufen")
    fileprivate static let scopes = Phrase("May", "Darf")
    fileprivate static let services = Phrase("Services", "Dienste")
    fileprivate static let servicesHint = Phrase(
        "A program with the token sees and changes only what belongs to these services. Choose none to "
            + "permit all.",
        "Ein Programm mit dem Token sieht und ändert nur, was zu diesen Diensten gehört. Wählen Sie keinen, "
            + "um alle zu erlauben.")
    fileprivate static let allServices = Phrase("All", "Alle")
    fileprivate static let noServices = Phrase("None (deleted)", "Keine (gelöscht)")
    fileprivate static let created = Phrase("Created", "Angelegt")
    fileprivate static let revoke = Phrase("Revoke…", "Widerrufen…")
    fileprivate static let create = Phrase("Create the token", "Token anlegen")
    fileprivate static func created(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Token \(name) was created", "Token \(name) wurde angelegt")
    }
    fileprivate static let secret = Phrase("The token", "Das Token")
    fileprivate static let onlyNow = Phrase(
        "This page shows the token once. Copy it into the program that uses it. Each program that has it can "
            + "use the API.",
        "Diese Seite zeigt das Token nur einmal. Kopieren Sie es in das Programm, das es nutzt. Jedes "
            + "Programm mit diesem Token kann die API nutzen.")
    fileprivate static let goOn = Phrase("Go to the tokens", "Zu den Token")
    fileprivate static func revokeTitle(_ name: String) -> Phrase {
        let name = isolated(name)
        return Phrase("Revoke token \(name)?", "Token \(name) widerrufen?")
    }
    fileprivate static let revokeText = Phrase(
        "Requests with this token are refused within one second. This cannot be undone: give the program a "
            + "new token first if it must keep running.",
        "Anfragen mit diesem Token werden innerhalb einer Sekunde abgelehnt. Das lässt sich nicht rückgängig "
            + "machen: Geben Sie dem Programm vorher ein neues, wenn es weiterlaufen soll.")
    fileprivate static let revokeButton = Phrase("Revoke the token", "Token widerrufen")
}
