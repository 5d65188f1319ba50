internal import PushAPI
internal import PushModel

/// Asks for the password before an action that only a person who is present may carry out. The page contains
/// the fields of the form, so that the action is carried out as soon as the password is right.
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
        let form = visit.form(action: action) {
            """
            <p>\(.why)</p>\(Visit.hidden(kept))
            \(fields.password(.password, FormNames.password, autocomplete: "current-password"))
            <div class="row"><button class="button button-primary">\(.goOn)</button></div>
            """
        }
        let body: HTML = """
            \(HTML.pageHead(.title))
            \(HTML.card(body: form))
            """
        return .refused(403, Page(title: .title, current: nil, body: body))
    }
}

extension Phrase {
    fileprivate static let title = Phrase("Confirm your password", "Passwort bestätigen")
    fileprivate static let why = Phrase(
        "This action needs your password, because you entered it more than 10 minutes ago.",
        "Diese Aktion braucht Ihr Passwort, weil Sie es vor mehr als 10 Minuten eingegeben haben.")
    fileprivate static let password = Phrase("Password", "Passwort")
    fileprivate static let goOn = Phrase("Continue", "Weiter")
}
