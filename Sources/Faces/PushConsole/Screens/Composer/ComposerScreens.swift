internal import PushAPI
internal import PushModel
internal import PushWire

/// The composer: a delivery is written in five steps, and kept as a draft until it is submitted.
enum ComposerScreens: ScreenGroup {
    static let notices: [Notice] = [.draftSaved, .draftRemoved, .proofSent, .deliverySubmitted]

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/deliveries/new", needs: .send) { try NewDelivery.show($0) },
        ConsoleRoute(.post, "/deliveries/new", needs: .send, once: true) { try NewDelivery.submit($0) },
        ConsoleRoute(.get, "/drafts", needs: .send) { try DraftList.show($0) },
        ConsoleRoute(.get, "/drafts/{id}", needs: .send) { visit in
            .redirect(ComposerStep.content.path(try visit.number("id")))
        },
        ConsoleRoute(.get, "/drafts/{id}/remove", needs: .send) { try DraftList.confirm($0) },
        ConsoleRoute(.post, "/drafts/{id}/remove", needs: .send) { try DraftList.remove($0) },
        ConsoleRoute(.get, "/drafts/{id}/content", needs: .send) { try ContentStep.show($0) },
        ConsoleRoute(.post, "/drafts/{id}/content", needs: .send) { visit in
            try LostDraft.saving(visit) { try ContentStep.submit($0) }
        },
        ConsoleRoute(.post, "/drafts/{id}/content/preview", needs: .send) { try ContentStep.preview($0) },
        ConsoleRoute(.get, "/drafts/{id}/languages", needs: .send) { try LanguagePage.show($0) },
        ConsoleRoute(.post, "/drafts/{id}/languages", needs: .send) { try LanguagePage.submit($0) },
        ConsoleRoute(.get, "/drafts/{id}/audience", needs: .send) { try AudienceStep.show($0) },
        ConsoleRoute(.post, "/drafts/{id}/audience", needs: .send) { visit in
            try LostDraft.saving(visit) { try AudienceStep.submit($0) }
        },
        ConsoleRoute(.post, "/drafts/{id}/audience/count", needs: .send, lengthy: true) {
            try AudienceStep.count($0)
        },
        ConsoleRoute(.get, "/drafts/{id}/timing", needs: .send) { try TimingStep.show($0) },
        ConsoleRoute(.post, "/drafts/{id}/timing", needs: .send) { visit in
            try LostDraft.saving(visit) { try TimingStep.submit($0) }
        },
        ConsoleRoute(.get, "/drafts/{id}/proof", needs: .send) { try ProofStep.show($0) },
        ConsoleRoute(.post, "/drafts/{id}/proof", needs: .send, lengthy: true, once: true) {
            try ProofStep.submit($0)
        },
        ConsoleRoute(.get, "/drafts/{id}/proof/sent", needs: .send) { try ProofStep.sent($0) },
        ConsoleRoute(.get, "/drafts/{id}/review", needs: .send) { try ReviewStep.show($0) },
        ConsoleRoute(.get, "/drafts/{id}/review/count", needs: .send, lengthy: true) {
            try ReviewStep.count($0)
        },
        ConsoleRoute(.post, "/drafts/{id}/submit", needs: .send, lengthy: true, once: true) {
            try ReviewStep.submit($0)
        },
    ]
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
        guard let tag else { return .refused(422, page(composer, FormErrors(field, .noTag))) }
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
        let tag = text.replacing("_", with: "-")
        return isTag(tag) ? tag : nil
    }

    static func isTag(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.isASCII && ($0 == "-" || Character($0).isLetterOrDigit) }
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

extension Character {
    fileprivate var isLetterOrDigit: Bool { isLetter || isNumber }
}

extension Phrase {
    fileprivate static let addLanguage = Phrase("Add language", "Sprache hinzufügen")
    fileprivate static let language = Phrase("Language", "Sprache")
    fileprivate static let languageHint = Phrase(
        "A name such as German, or a tag such as de or pt-BR.",
        "Ein Name wie Deutsch oder ein Kürzel wie de oder pt-BR.")
    fileprivate static let noTag = Phrase(
        "This is not a language. Enter for example German or de.",
        "Das ist keine Sprache. Geben Sie zum Beispiel Deutsch oder de ein.")
    fileprivate static let tooMany = Phrase(
        "A delivery can have 50 languages. Remove one first.",
        "Eine Zustellung kann 50 Sprachen haben. Entfernen Sie zuerst eine.")
    fileprivate static let add = Phrase("Add", "Hinzufügen")
    fileprivate static let cancel = Phrase("Back to the texts", "Zurück zu den Texten")
}
