internal import PushAPI
package import PushModel

/// The content of a page. The console adds the head, the navigation, and the notice of the last action.
package struct Page: Sendable {
    package let title: String
    /// The place of the navigation to which the page belongs; `nil` if it belongs to none.
    package let current: NavigationItem?
    package let body: HTML

    package init(title: String, current: NavigationItem?, body: HTML) {
        (self.title, self.current, self.body) = (title, current, body)
    }

    package init(title: Phrase, current: NavigationItem?, body: HTML) {
        self.init(title: title.text, current: current, body: body)
    }

    /// Creates a page about one object. The browser's tabs and history name both.
    package init(title: Phrase, of name: String, current: NavigationItem?, body: HTML) {
        self.init(title: "\(title.text): \(name)", current: current, body: body)
    }

    /// Renders the page for a person who is signed in.
    func html(of visit: Visit, notice: Notice?) -> HTML {
        Self.document(
            title, classes: "app",
            """
            <div class="side">
            <a class="skip" href="#main">\(.skip)</a>
            <header class="topbar">\(Self.brand)
            <button class="button button-small" type="button" popovertarget="nav" \
            aria-label="\(.menu)">\(.menu)</button></header>
            \(navigation(of: visit))
            </div>
            <main id="main" tabindex="-1">
            \(notice.map(HTML.notice))\(body)
            </main>
            <p id="announcer" class="hidden-text" role="status" aria-live="polite"></p>
            <p id="connection" class="toast" role="status" hidden data-lost="\(.lost)" \
            data-ended="\(.ended)"></p>
            """)
    }

    /// Renders a page without navigation, for people who are not signed in.
    static func plain(title: Phrase, body: HTML, foot: HTML = .empty) -> HTML {
        document(
            title.text, classes: "login",
            """
            <header>\(brand)</header>
            <main class="card">\(body)</main>
            <footer>\(foot)</footer>
            """)
    }

    private static func document(_ title: String, classes: StaticString, _ body: HTML) -> HTML {
        """
        <!doctype html>
        <html lang="\(Presentation.current.language.rawValue)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(title) – PushMTA</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="\(ConsoleAsset.styles.address)">
        <script type="module" src="\(ConsoleAsset.script.address)"></script>
        </head>
        <body class="\(classes.description)">
        \(body)
        </body>
        </html>

        """
    }

    private static let brand: HTML = """
        <a class="brand" href="/console/"><svg viewBox="0 0 24 24" aria-hidden="true">\
        <rect width="24" height="24" rx="6"/>\
        <path d="M6 7.5l4.5 4.5L6 16.5M12 7.5l4.5 4.5-4.5 4.5"/></svg>PushMTA</a>
        """

    private func navigation(of visit: Visit) -> HTML {
        let sections = NavigationItem.Section.allCases.compactMap { section -> HTML? in
            let items = NavigationItem.allCases.filter {
                $0.section == section && visit.table.isShown($0, to: visit)
            }
            guard !items.isEmpty else { return nil }
            let links = items.map { item -> HTML in
                let mark = item == current ? "page" : nil
                return "<li><a href=\"\(item.path)\"\("aria-current", is: mark)>\(item.title)</a></li>"
            }
            let id = "nav-\(section)"
            return """
                <div><p class="nav-title" id="\(id)">\(section.title)</p>\
                <ul aria-labelledby="\(id)">\(links)</ul></div>
                """
        }
        return """
            <nav class="nav" id="nav" popover aria-label="\(.mainNavigation)">
            <div class="row row-between">\(Self.brand)
            <button class="button button-small nav-close" type="button" popovertarget="nav" \
            popovertargetaction="hide" aria-label="\(.close)">\(.close)</button></div>
            \(sections)
            <div class="nav-foot">
            <b>\(name: visit.session.person)</b>\(visit.session.role.title)
            <div class="row">\(languageButtons(of: visit))\
            \(HTML.link(.myAccount, "/account", classes: "button-plain button-small"))\
            \(visit.button(.signOut, action: "/sign-out", classes: "button-plain button-small"))</div>
            </div>
            </nav>
            """
    }

    private func languageButtons(of visit: Visit) -> HTML {
        visit.form(action: "/language", classes: "inline") {
            let buttons = Language.allCases.map { language -> HTML in
                """
                <button class="button button-plain button-small" name="language" lang="\(language.rawValue)" \
                value="\(language.rawValue)"\("aria-current", is: language == visit.language ? "true" : nil)>\
                \(language.ownName)</button>
                """
            }
            // The page of a refused form has an address that only a form can request.
            let address = visit.request.address
            let isPage = visit.request.method == .get || visit.table.hasPage(address)
            let next = isPage ? address : current?.path ?? "/"
            return "<input type=\"hidden\" name=\"next\" value=\"\(next.text)\">\(buttons)"
        }
    }
}

extension RouteTable {
    /// Whether the navigation shows a place to a person.
    fileprivate func isShown(_ item: NavigationItem, to visit: Visit) -> Bool {
        let segments = item.path.text.split(separator: "/").map(String.init)
        guard let (route, _) = route(.get, segments) else { return false }
        return visit.isPermitted(route.scope)
    }
}

extension Role {
    package var title: Phrase {
        switch self {
        case .viewer: Phrase("Viewer", "Betrachter")
        case .marketer: Phrase("Marketer", "Marketing")
        case .operator: Phrase("Operator", "Betrieb")
        case .admin: Phrase("Admin", "Verwaltung")
        }
    }
}

extension Phrase {
    fileprivate static let skip = Phrase("Skip to content", "Zum Inhalt")
    fileprivate static let menu = Phrase("Menu", "Menü")
    fileprivate static let close = Phrase("Close", "Schließen")
    fileprivate static let mainNavigation = Phrase("Main", "Hauptmenü")
    fileprivate static let myAccount = Phrase("My account", "Mein Konto")
    fileprivate static let signOut = Phrase("Sign out", "Abmelden")
    fileprivate static let lost = Phrase(
        "The service does not answer. This page tries again.",
        "Der Dienst antwortet nicht. Diese Seite versucht es weiter.")
    fileprivate static let ended = Phrase(
        "Your session has ended. Sign in again.", "Ihre Sitzung ist beendet. Melden Sie sich erneut an.")
}
