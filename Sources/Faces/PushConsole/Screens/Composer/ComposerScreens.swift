internal import PushAPI
internal import PushModel
internal import PushWire

/// The composer: a delivery is written in five steps, and kept as a draft until it is submitted.
enum ComposerScreens: ScreenGroup {
    static let notices: [Notice] = [.draftSaved, .draftRemoved, .deliverySubmitted, .toCorrect]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/deliveries/new", needs: .send) { try NewDelivery.show($0) },
        ConsoleRoute(.post, "/deliveries/new", needs: .send, once: true) { try NewDelivery.submit($0) },
        ConsoleRoute(.get, "/drafts", needs: .send) { try DraftList.show($0) },
        ConsoleRoute(.get, "/drafts/{id}", needs: .send) { visit in
            let id = try visit.number("id")
            return .redirect(LastStep.step(of: id, visit).path(id))
        },
        ConsoleRoute(.get, "/drafts/{id}/remove", needs: .send) { try DraftList.confirm($0) },
        ConsoleRoute(.post, "/drafts/{id}/remove", needs: .send) { try DraftList.remove($0) },
        page(.content) { try ContentStep.show($0) },
        form(.content) { try ContentStep.submit($0) },
        ConsoleRoute(.post, "/drafts/{id}/content/preview", needs: .send) { try ContentStep.preview($0) },
        ConsoleRoute(.get, "/drafts/{id}/languages", needs: .send) { try LanguagePage.show($0) },
        ConsoleRoute(.post, "/drafts/{id}/languages", needs: .send) { try LanguagePage.submit($0) },
        page(.audience) { try AudienceStep.show($0) },
        form(.audience) { try AudienceStep.submit($0) },
        ConsoleRoute(.post, "/drafts/{id}/audience/count", needs: .send, lengthy: true) {
            try AudienceStep.count($0)
        },
        page(.timing) { try TimingStep.show($0) },
        form(.timing) { try TimingStep.submit($0) },
        page(.proof) { try ProofStep.show($0) },
        ConsoleRoute(.post, "/drafts/{id}/proof", needs: .send, lengthy: true, once: true) {
            try ProofStep.submit($0)
        },
        ConsoleRoute(.get, "/drafts/{id}/proof/sent", needs: .send) { try ProofStep.sent($0) },
        ConsoleRoute(.get, "/drafts/{id}/proof/{delivery}", needs: .send, lengthy: true) {
            try ProofPage.show($0)
        },
        page(.review) { try ReviewStep.show($0) },
        ConsoleRoute(.get, "/drafts/{id}/review/count", needs: .send, lengthy: true) {
            try ReviewStep.count($0)
        },
        ConsoleRoute(.post, "/drafts/{id}/submit", needs: .send, lengthy: true, once: true) {
            try ReviewStep.submit($0)
        },
    ]

    /// Returns the route of a step's form.
    private static func form(
        _ step: ComposerStep, _ answer: @escaping @Sendable (Visit) throws -> Reply
    ) -> ConsoleRoute {
        ConsoleRoute(.post, step.pattern, needs: .send) { try LostDraft.saving($0, answer) }
    }

    /// Returns the route of a step's page.
    private static func page(
        _ step: ComposerStep, _ answer: @escaping @Sendable (Visit) throws -> Reply
    ) -> ConsoleRoute {
        ConsoleRoute(.get, step.pattern, needs: .send) { visit in
            try LostDraft.showing(visit) { visit in
                var reply = try answer(visit)
                reply.cookies.append(LastStep.cookie(step, of: try visit.number("id"), visit))
                return reply
            }
        }
    }
}

/// The steps on which a person last worked, in a cookie of the browser.
enum LastStep {
    private static let name = "pushmta-steps"
    private static let maxDrafts = 20

    private static func steps(_ visit: Visit) -> [(id: Int64, step: ComposerStep)] {
        (visit.request.cookies[name] ?? "").split(separator: "_").prefix(maxDrafts).compactMap { part in
            let halves = part.split(separator: ".")
            guard halves.count == 2, let id = Int64(halves[0]),
                let step = ComposerStep.allCases.first(where: { $0.word == halves[1] })
            else { return nil }
            return (id, step)
        }
    }

    static func step(of id: Int64, _ visit: Visit) -> ComposerStep {
        steps(visit).first { $0.id == id }?.step ?? .content
    }

    static func cookie(_ step: ComposerStep, of id: Int64, _ visit: Visit) -> String {
        let others = steps(visit).filter { $0.id != id }.prefix(maxDrafts - 1)
        let value = ([(id, step)] + others).map { "\($0.0).\($0.1.word)" }.joined(separator: "_")
        return ConsoleCookie.text(name, value, maxAge: 30 * 86_400, of: visit.request)
    }
}

/// Adds a language to the content of a draft.
enum LanguagePage {
    private static let field = "tag"
    /// The maximum number of languages of a content.
    private static let maxLanguages = 50

    static func show(_ visit: Visit) throws -> Reply {
        .page(page(try Composer(visit, .content), FormErrors()))
    }

    static func submit(_ visit: Visit) throws -> Reply {
        var composer = try Composer(visit, .content)
        let tag = tag(visit.form[field] ?? "")
        guard let tag else {
            let text = String((visit.form[field] ?? "").prefix(100))
            let errors = FormErrors(field, text.isEmpty ? .noLanguage : .noTag(text, suggestions(for: text)))
            return .refused(422, page(composer, errors))
        }
        let path = DocumentPath.content(in: tag)
        if composer.document[path] == nil {
            guard composer.document.languages.count < maxLanguages else {
                return .refused(422, page(composer, FormErrors(field, .tooMany)))
            }
            composer.document[path] = .object([])
        }
        return try composer.save(staying: composer.path.with("language", tag))
    }

    /// Returns the tag of a language that a person named by its tag or its name.
    private static func tag(_ text: String) -> String? {
        let lowercased = text.lowercased()
        let named = LanguageNames.known.first {
            $0.name.english.lowercased() == lowercased || $0.name.german.lowercased() == lowercased
        }
        if let named { return named.tag }
        guard isTag(text), let tag = LanguageTag(text), tag.text.prefix(while: { $0 != "-" }).count < 4 else {
            return nil
        }
        return tag.text
    }

    /// The languages that a person may have meant: those whose names begin in the same way.
    private static func suggestions(for text: String) -> [(tag: String, name: Phrase)] {
        let beginning = text.lowercased().prefix(3)
        guard beginning.count == 3 else { return [] }
        return LanguageNames.known.filter {
            $0.name.english.lowercased().hasPrefix(beginning)
                || $0.name.german.lowercased().hasPrefix(beginning)
        }
    }

    static func isTag(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count) && text.utf8.allSatisfy { $0 < 0x80 } && LanguageTag(text) != nil
    }

    private static func page(_ composer: Composer, _ errors: FormErrors) -> Page {
        let visit = composer.visit
        let fields = Fields(errors)
        let options = LanguageNames.known.map { language -> HTML in
            "<option value=\"\(language.tag)\">\(language.name)</option>"
        }
        let form = visit.form(action: "/drafts/\(composer.draft.id)/languages") {
            """
            <input type="hidden" name="\(Composer.version)" value="\(number: composer.draft.version)">\
            \(fields.text(.language, field, value: visit.form[field] ?? "", hint: .languageHint,
                autocomplete: "off", attributes: " list=\"known-languages\""))\
            <datalist id="known-languages">\(options)</datalist>\
            <div class="row"><a class="button" href="\(composer.path)">\(Phrase.cancel)</a>\
            <button class="button button-primary">\(Phrase.add)</button></div>
            """
        }
        return composer.page(HTML.card(.addLanguage, id: "language", body: form))
    }
}

extension Phrase {
    fileprivate static let addLanguage = Phrase("Add language", "Sprache hinzufügen")
    fileprivate static let language = Phrase("Language", "Sprache")
    fileprivate static let languageHint = Phrase(
        "A name such as German, or a tag such as de or pt-BR.",
        "Ein Name wie Deutsch oder ein Kürzel wie de oder pt-BR.")
    fileprivate static let noLanguage = Phrase(
        "Enter a language, for example German or de.",
        "Geben Sie eine Sprache ein, zum Beispiel Deutsch oder de.")
    fileprivate static func noTag(_ text: String, _ near: [(tag: String, name: Phrase)]) -> Phrase {
        let text = isolated(text)
        let english = near.map { "\($0.name.english) (\($0.tag))" }.joined(separator: ", ")
        let german = near.map { "\($0.name.german) (\($0.tag))" }.joined(separator: ", ")
        return Phrase(
            "\(text) is not the tag of a language: write a tag such as fr or pt-BR."
                + (near.isEmpty ? "" : " Did you mean \(english)?"),
            "\(text) ist kein Kürzel einer Sprache: Schreiben Sie ein Kürzel wie fr oder pt-BR."
                + (near.isEmpty ? "" : " Meinen Sie \(german)?"))
    }
    fileprivate static let tooMany = Phrase(
        "A delivery can have 50 languages. Remove one first.",
        "Eine Zustellung kann 50 Sprachen haben. Entfernen Sie zuerst eine.")
    fileprivate static let add = Phrase("Add", "Hinzufügen")
    fileprivate static let cancel = Phrase("Back to the texts", "Zurück zu den Texten")
}
