internal import PushAPI
internal import PushModel

/// The pages for people who are signed in that state why a request was not carried out.
enum ErrorPages {
    static func notFound(_ visit: Visit) -> Reply {
        page(404, .notFound, "<p>\(.notFoundText)</p>")
    }

    static func forbidden(_ scope: AccessScope?, _ visit: Visit) -> Reply {
        page(403, .forbidden, "<p>\(.forbiddenText(visit.session.role.title))</p>")
    }

    static func failed(_ error: OperationError, _ visit: Visit) -> Reply {
        switch error.kind {
        case .absent, .noMatch: page(404, .notFound, HTML.errors(FormErrors(error)))
        default: page(error.kind.code.status, .failed, HTML.errors(FormErrors(error)))
        }
    }

    private static func page(_ status: Int, _ title: Phrase, _ text: HTML) -> Reply {
        let body: HTML = """
            \(HTML.pageHead(title))
            <div class="stack">\(text)
            <p><a class="button" href="\("/" as ConsolePath)">\(.home)</a></p></div>
            """
        return .refused(status, Page(title: title, current: nil, body: body))
    }
}

/// Pages that state why the console does not answer at all. They need no session.
enum Notices {
    static var forged: HTML { page(.forged, .forgedText) }
    static var insecure: HTML { page(.insecure, .insecureText) }
    static func unavailable(_ error: any Error) -> HTML { page(.unavailable, .unavailableText) }

    private static func page(_ title: Phrase, _ text: Phrase) -> HTML {
        Page.plain(title: title, body: "<h1>\(title)</h1><p>\(text)</p>")
    }
}

extension Phrase {
    fileprivate static let notFound = Phrase("Not found", "Nicht gefunden")
    fileprivate static let notFoundText = Phrase(
        "There is no such page, or its object was removed.",
        "Diese Seite gibt es nicht, oder das Objekt wurde entfernt.")
    fileprivate static let forbidden = Phrase("Not permitted", "Nicht erlaubt")
    fileprivate static func forbiddenText(_ role: Phrase) -> Phrase {
        Phrase(
            "Your role (\(role.english)) does not permit this. Ask an admin to change your role.",
            "Ihre Rolle (\(role.german)) erlaubt das nicht. Bitten Sie die Verwaltung um eine andere Rolle.")
    }
    fileprivate static let failed = Phrase("Not carried out", "Nicht ausgeführt")
    fileprivate static let home = Phrase("Go to Home", "Zur Übersicht")
    fileprivate static let forged = Phrase("The form is not valid", "Das Formular ist nicht gültig")
    fileprivate static let forgedText = Phrase(
        """
        It was not sent from a page of this console, or its session has ended. Nothing was changed. Open the \
        page again and repeat your action. If a reverse proxy is in front of the console, it must pass on \
        the header Host.
        """,
        """
        Es wurde nicht von einer Seite dieser Konsole gesendet, oder seine Sitzung ist beendet. Nichts wurde \
        geändert. Öffnen Sie die Seite erneut und wiederholen Sie die Aktion. Ein Reverse-Proxy vor der \
        Konsole muss den Header Host weitergeben.
        """)
    fileprivate static let insecure = Phrase("Use HTTPS", "Verwenden Sie HTTPS")
    fileprivate static let insecureText = Phrase(
        """
        Over HTTP, others on the network could read your password. The console therefore answers over HTTP \
        only on the machine itself. Set web/@certificateChain and web/@privateKey, put a reverse proxy with \
        HTTPS in front and name it in web/@trustedProxies, or open a tunnel: ssh -L 8080:127.0.0.1:8080 HOST.
        """,
        """
        Über HTTP könnten andere im Netz Ihr Passwort lesen. Deshalb antwortet die Konsole über HTTP nur auf \
        dem Rechner selbst. Setzen Sie web/@certificateChain und web/@privateKey, stellen Sie einen \
        Reverse-Proxy mit HTTPS davor und nennen Sie ihn in web/@trustedProxies, oder öffnen Sie einen \
        Tunnel: ssh -L 8080:127.0.0.1:8080 HOST.
        """)
    fileprivate static let unavailable = Phrase("Not available now", "Zurzeit nicht verfügbar")
    fileprivate static let unavailableText = Phrase(
        "The service or its store does not answer. Nothing was changed. Try again in a moment.",
        "Der Dienst oder sein Speicher antwortet nicht. Nichts wurde geändert. Versuchen Sie es erneut."
    )
}
