internal import PushAPI
internal import PushModel

/// Asks for the password before an action that only a person who is present may carry out. The page contains
/// the fields of the form, so that the action is carried out as soon as the password is right. If a provider
/// is configured, the person can sign in there again instead.
enum PasswordDemand {
    /// - Returns: The page that asks for the password; `nil` if the request contains the right one.
    static func reply(to visit: Visit) throws -> Reply? {
        guard visit.request.method == .post else { return page(visit) }
        // A page cannot contain the files of a form again. Guard the page that contains the form as well.
        guard let password = visit.form.exact(FormNames.password), visit.request.files.isEmpty else {
            return page(visit)
        }
        let answer = try visit.operations.carryOut(
            ConfirmPassword(
                token: visit.token, password: password, address: visit.request.client.map { "\($0)" } ?? ""))
        switch answer {
        case .accepted: return nil
        case .wrong: return page(visit, .wrongPassword)
        case .tooManyAttempts(let seconds): return page(visit, .tooManyPasswords(seconds))
        }
    }

    private static func page(_ visit: Visit, _ error: Phrase? = nil) -> Reply {
        // A request for a page continues with that page. Any other request continues with its form.
        let isPage = visit.request.method == .get
        let action: ConsolePath = isPage ? "/password" : visit.request.address
        let kept =
            isPage
            ? FormFields([.init(name: OpenPages.next, value: visit.request.address.text)])
            : visit.form.without(FormNames.all)
        let fields = Fields(error.map { FormErrors(FormNames.password, $0) } ?? FormErrors())
        let label = visit.operations.openIDLabel
        var cards: [HTML] = []
        if visit.session.hasPassword {
            let form = visit.form(action: action) {
                """
                <p>\(.why)</p>\(Visit.hidden(kept))
                \(fields.password(.password, FormNames.password, autocomplete: "current-password"))
                <div class="row"><button class="button button-primary">\(.goOn)</button></div>
                """
            }
            cards.append(HTML.card(body: form))
        }
        if let label { cards.append(provider(visit, label, action, kept, isPage: isPage)) }
        if cards.isEmpty { cards.append(HTML.card(body: "<p>\(.noPassword)</p>")) }
        let title: Phrase = visit.session.hasPassword ? .title : .titleWithoutPassword
        let body: HTML = """
            \(HTML.pageHead(title))
            <div class="stack">\(cards)</div>
            """
        return .refused(403, Page(title: title, current: nil, body: body))
    }

    /// A form that was submitted stays in this page, while the person signs in to the provider in another
    /// tab.
    private static func provider(
        _ visit: Visit, _ label: String, _ action: ConsolePath, _ kept: FormFields, isPage: Bool
    ) -> HTML {
        guard !isPage else {
            let address = OpenIDPages.address(confirmingFor: visit.request.address)
            return HTML.card(
                body: """
                    <p>\(.whyProvider)</p>
                    <div class="row">\(HTML.link(.signInWith(label), address))</div>
                    """)
        }
        let address = OpenIDPages.address(confirmingFor: nil)
        let form = visit.form(action: action) {
            """
            <p>\(.whyProvider) \(.inOtherTab)</p>\(Visit.hidden(kept))
            <div class="row">\
            <a class="button" href="\(address)" target="_blank" rel="noopener">\(.signInWith(label))</a>\
            <button class="button button-primary">\(.goOn)</button></div>
            """
        }
        return HTML.card(body: form)
    }
}

extension Phrase {
    fileprivate static let title = Phrase("Confirm your password", "Passwort bestätigen")
    fileprivate static let titleWithoutPassword = Phrase("Confirm that it is you", "Identität bestätigen")
    fileprivate static let why = Phrase(
        "This action needs your password, because you entered it more than 10 minutes ago.",
        "Diese Aktion braucht Ihr Passwort, weil Sie es vor mehr als 10 Minuten eingegeben haben.")
    fileprivate static let whyProvider = Phrase(
        "This action needs a proof that you are present. Sign in again.",
        "Diese Aktion braucht einen Nachweis, dass Sie es sind. Melden Sie sich erneut an.")
    fileprivate static let inOtherTab = Phrase(
        "A new tab opens. Then continue here: your input is kept.",
        "Ein neuer Tab öffnet sich. Machen Sie dann hier weiter: Ihre Eingaben bleiben erhalten.")
    fileprivate static let noPassword = Phrase(
        """
        This action needs your password, but you have none. Ask another admin to reset your password: you \
        receive a link with which you set one. On the machine itself, an operator can do this without an \
        admin.
        """,
        """
        Diese Aktion braucht Ihr Passwort, aber Sie haben keines. Bitten Sie eine andere Person der \
        Verwaltung, Ihr Passwort zurückzusetzen: Sie erhalten einen Link, mit dem Sie eines festlegen. Auf \
        dem Rechner selbst kann der Betrieb das ohne die Verwaltung tun.
        """)
    fileprivate static let password = Phrase("Password", "Passwort")
    fileprivate static let goOn = Phrase("Continue", "Weiter")
}
