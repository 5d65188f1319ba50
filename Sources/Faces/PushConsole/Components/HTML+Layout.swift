internal import PushModel

/// Heads of pages, cards, notices and empty states.
extension HTML {
    /// - Parameters:
    ///   - crumbs: The pages above this one.
    ///   - meta: Short facts below the title.
    ///   - actions: Links and buttons. At most one of them is a primary button.
    package static func pageHead(
        _ title: HTML, crumbs: [(title: HTML, path: ConsolePath)] = [], meta: [HTML] = [],
        actions: HTML = .empty
    ) -> HTML {
        let links = crumbs.map { "<a href=\"\($0.path)\">\($0.title)</a>" as HTML }
        let crumb: HTML? =
            links.isEmpty
            ? nil : "<nav class=\"crumb\" aria-label=\"\(.path)\">\(links.joined(by: " / "))</nav>"
        let facts = meta.map { "<span>\($0)</span>" as HTML }
        let line: HTML? = facts.isEmpty ? nil : "<p class=\"meta\">\(facts)</p>"
        let row: HTML? = actions.isEmpty ? nil : "<div class=\"row\">\(actions)</div>"
        return """
            <header class="page-head"><div>\(crumb)<h1>\(title)</h1>\(line)</div>\(row)</header>
            """
    }

    package static func pageHead(
        _ title: Phrase, crumbs: [(title: HTML, path: ConsolePath)] = [], meta: [HTML] = [],
        actions: HTML = .empty
    ) -> HTML {
        pageHead("\(title)" as HTML, crumbs: crumbs, meta: meta, actions: actions)
    }

    /// A section with a frame.
    /// - Parameters:
    ///   - id: The id of the section's heading, unique on the page.
    ///   - note: A short text next to the heading, or at the top if there is none.
    ///   - table: Content that reaches the frame, such as a table or a list of tasks.
    package static func card(
        _ title: Phrase? = nil, id: String? = nil, note: HTML? = nil, body: HTML? = nil, table: HTML? = nil,
        foot: HTML? = nil
    ) -> HTML {
        let heading: HTML? = title.map { "<h2\("id", is: id)>\($0)</h2>" }
        let remark: HTML? = note.map { "<p>\($0)</p>" }
        let head: HTML? =
            heading == nil && remark == nil ? nil : "<div class=\"card-head\">\(heading)\(remark)</div>"
        let inner: HTML? = body.map { "<div class=\"card-body\">\($0)</div>" }
        let last: HTML? = foot.map { "<div class=\"card-foot\">\($0)</div>" }
        return """
            <section class="card"\("aria-labelledby", is: title == nil ? nil : id)>\(head)\(inner)\(table)\
            \(last)</section>
            """
    }

    /// Cards one below the other.
    package static func stack(_ parts: HTML...) -> HTML { "<div class=\"stack\">\(parts)</div>" }

    /// A part of a page that the console's script requests again every two seconds.
    /// - Parameters:
    ///   - path: The route that answers with the same content as a fragment.
    package static func live(_ path: ConsolePath, _ content: HTML) -> HTML {
        "<div class=\"stack\" data-refresh=\"\(path)\">\(content)</div>"
    }

    /// A part of a page that takes long to compute. The script requests it after the page; without script, a
    /// person follows a link to the page with ``ComposerStep/count`` in its query.
    /// - Parameter path: The route that answers with the part as a fragment.
    static func counted(_ path: ConsolePath, page: ConsolePath) -> HTML {
        """
        <div class="stack" aria-live="polite" data-load="\(path)"><p class="muted">\(.countFirst)</p>\
        <p>\(link(.count, page.with("count", "1"), classes: "button-primary"))</p></div>
        """
    }

    /// A text whose changes the script announces to screen readers: a state, not a figure.
    /// - Parameter key: A name for the text, unique on the page.
    package static func announced(_ key: String, _ content: HTML) -> HTML {
        "<span data-announce=\"\(key)\">\(content)</span>"
    }

    /// The notice about the last action, at the top of a page. The script removes it as soon as a state on
    /// the page changes, because the notice is then no longer true.
    static func notice(_ notice: Notice) -> HTML {
        note("\(notice.text)", tone: notice.tone, attributes: " data-passing")
    }

    package static func note(_ text: Phrase, tone: Notice.Tone = .good) -> HTML {
        note("\(text)" as HTML, tone: tone)
    }

    package static func note(_ content: HTML, tone: Notice.Tone = .good) -> HTML {
        note(content, tone: tone, attributes: .empty)
    }

    private static func note(_ content: HTML, tone: Notice.Tone, attributes: HTML) -> HTML {
        "<div class=\"notice\(tone.suffix)\" role=\"status\"\(attributes)>\(content)</div>"
    }

    /// The errors of a request that concern no field.
    package static func errors(_ errors: FormErrors) -> HTML { self.errors(errors.all, of: errors) }

    /// Some of the errors of a request. A sentence in the reader's language precedes texts in English.
    static func errors(_ texts: [String], of errors: FormErrors) -> HTML {
        guard !texts.isEmpty else { return .empty }
        let isForeign = errors.isForeign && Presentation.current.language != .english
        let meaning: HTML? = isForeign ? errors.meaning.map { "<b>\($0)</b>" } : nil
        let items = texts.prefix(50).map { "<li\("lang", is: isForeign ? "en" : nil)>\($0)</li>" as HTML }
        return "<div class=\"notice notice-bad\" role=\"alert\">\(meaning)<ul>\(Array(items))</ul></div>"
    }

    /// The first step for people who have nothing here yet.
    package static func emptyState(_ title: Phrase, _ text: Phrase, action: HTML = .empty) -> HTML {
        """
        <section class="empty"><div><h2>\(title)</h2><p>\(text)</p></div>\(action)</section>
        """
    }

    /// A link that looks like a button.
    package static func link(
        _ label: Phrase, _ path: ConsolePath, classes: StaticString = "", subject: String? = nil
    )
        -> HTML
    {
        let hidden: HTML? = subject.map { "<span class=\"hidden-text\"> \(name: $0)</span>" }
        return "<a class=\"button \(classes.description)\" href=\"\(path)\">\(label)\(hidden)</a>"
    }

    /// A disclosure, which is closed at first.
    package static func details(_ summary: Phrase, id: String, _ content: HTML) -> HTML {
        "<details id=\"\(id)\"><summary class=\"small\">\(summary)</summary>\(content)</details>"
    }

    /// A text for programs, such as an id.
    package static func code(_ text: String) -> HTML { "<code>\(text)</code>" }

    /// A page that asks whether to carry out an action, for browsers without script and for actions that
    /// cannot be undone.
    /// - Parameters:
    ///   - consequence: What happens, and whether it can be undone.
    ///   - facts: What is affected.
    ///   - fields: Further fields of the form, such as a reason.
    package static func confirmation(
        _ visit: Visit, title: HTML, consequence: HTML, facts: HTML = .empty, fields: HTML = .empty,
        action: ConsolePath, label: Phrase, back: ConsolePath, alternative: HTML = .empty
    ) -> HTML {
        let form = visit.form(action: action) {
            """
            <p>\(consequence)</p>\(facts)\(fields)
            <div class="row"><a class="button" href="\(back)">\(.backUnchanged)</a>\(alternative)\
            <button class="button button-destroy">\(label)</button></div>
            """
        }
        return "\(pageHead(title))\(card(body: form))"
    }
}

extension Notice.Tone {
    fileprivate var suffix: String {
        switch self {
        case .good: ""
        case .warn: " notice-warn"
        case .bad: " notice-bad"
        }
    }
}

extension Phrase {
    fileprivate static let path = Phrase("Path", "Pfad")
    fileprivate static let countFirst = Phrase(
        "The devices are being counted.", "Die Geräte werden gezählt.")
    fileprivate static let count = Phrase("Count the devices", "Geräte zählen")
    /// The link that leaves a form or a question. "Cancel" is only used for work that has begun.
    static let backUnchanged = Phrase("Back without change", "Zurück ohne Änderung")
}
