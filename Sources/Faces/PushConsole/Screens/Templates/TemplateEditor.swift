internal import PushAPI
internal import PushModel
internal import PushWire

/// Creates templates and edits them. The texts have fields of their own; everything else is edited as JSON.
/// A person who saves a template that another person has changed in the meantime sees both
/// versions.
enum TemplateEditor {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/templates/new", needs: .admin) { visit in
            .page(try TemplateForm(visit, of: nil).page(FormErrors()))
        },
        ConsoleRoute(.post, "/templates/new", needs: .admin, once: true) { try save($0, of: nil) },
        ConsoleRoute(.get, "/templates/shared/{name}/edit", needs: .admin) { try edit($0) },
        ConsoleRoute(.get, "/templates/of/{service}/{name}/edit", needs: .admin) { try edit($0) },
        ConsoleRoute(.post, "/templates/shared/{name}/edit", needs: .admin) {
            try save($0, of: TemplateName(of: $0))
        },
        ConsoleRoute(.post, "/templates/of/{service}/{name}/edit", needs: .admin) {
            try save($0, of: TemplateName(of: $0))
        },
    ]

    static let notices: [Notice] = [.saved, .savedWithWarnings, .unchanged]

    private static func edit(_ visit: Visit) throws -> Reply {
        .page(try TemplateForm(visit, of: TemplateName(of: visit)).page(FormErrors()))
    }

    /// - Parameter edited: `nil` for a new template.
    private static func save(_ visit: Visit, of edited: TemplateName?) throws -> Reply {
        var form = TemplateForm(submitted: visit, of: edited)
        let added = visit.form["addLanguage"] ?? ""
        if visit.form.isOn("add") {
            form.texts.add(language: added)
            return .page(try form.page(added.isEmpty ? FormErrors("addLanguage", .tagMissing) : FormErrors()))
        }
        guard !form.name.name.isEmpty else {
            return .refused(422, try form.page(FormErrors("name", .nameMissing)))
        }
        do {
            let document = try form.document()
            let saved = try visit.carryOut(
                SaveTemplate(
                    name: form.name.name, service: form.name.service, document: document.documentBytes,
                    documentName: "", replacing: form.base))
            guard saved.changed else { return .redirect(form.name.path, notice: .unchanged) }
            return .redirect(
                form.name.path, notice: saved.warnings.isEmpty ? .saved : .savedWithWarnings)
        } catch let error as OperationError {
            guard error.kind == .conflict, let theirs = try? form.name.show(visit) else {
                var names = form.texts.names
                names["name"] = "name"
                return .refused(422, try form.page(FormErrors(error, names: names)))
            }
            return .refused(409, try form.conflict(with: theirs, error))
        } catch let fault as JSONFault {
            return .refused(422, try form.page(FormErrors("document", .notJSON("\(fault)"))))
        }
    }
}

/// The form with which a template is edited.
private struct TemplateForm {
    private let visit: Visit
    private let isNew: Bool
    private(set) var name: TemplateName
    /// The newest version when the form was made; 0 if there was none.
    private(set) var base: Int64
    var texts: ContentTexts
    /// The JSON of the members other than the texts.
    private var rest: String

    /// Creates the form for a stored template.
    init(_ visit: Visit, of name: TemplateName?) throws {
        self.visit = visit
        isNew = name == nil
        self.name = name ?? TemplateName(name: "", service: visit.query.given("service"))
        guard let name else {
            (base, texts, rest) = (0, ContentTexts(of: nil), JSONValue.object([]).text)
            return
        }
        let version = visit.query.number("version").flatMap { $0 > 0 ? Int64($0) : nil }
        let template = try name.show(visit, version: version)
        base = template.newestVersion
        let document = template.document.value
        texts = ContentTexts(of: document["content"])
        rest = Self.rest(of: document, texts)
    }

    /// Creates the form as a person submitted it.
    init(submitted visit: Visit, of name: TemplateName?) {
        self.visit = visit
        isNew = name == nil
        self.name =
            name ?? TemplateName(name: visit.form["name"] ?? "", service: visit.form.given("service"))
        let given = visit.form["base"].flatMap { Int64($0) } ?? 0
        // The pages show the number of the next version.
        base = name == nil || !(0..<Int64.max).contains(given) ? 0 : given
        texts = ContentTexts(of: visit.form)
        rest = visit.form.exact("document") ?? ""
    }

    private static func rest(of document: JSONValue, _ texts: ContentTexts) -> String {
        let content = texts.removed(from: document["content"])
        return ContentTexts.setting("content", to: content == .object([]) ? nil : content, in: document).text
    }

    /// The whole document.
    func document() throws(JSONFault) -> JSONValue {
        let others: JSONValue =
            try rest.allSatisfy(\.isWhitespace) ? .object([]) : JSONParser.parse(Array(rest.utf8))
        return ContentTexts.setting("content", to: texts.merged(into: others["content"]), in: others)
    }

    // MARK: Pages

    func page(_ errors: FormErrors) throws -> Page {
        page(HTML.card(body: try form(errors, save: isNew ? .create : .save(base + 1))))
    }

    /// The page for a person who saves after another person.
    func conflict(with theirs: TemplateView, _ error: OperationError) throws -> Page {
        var second = self
        second.base = theirs.newestVersion
        let mine = (try? document().text) ?? rest
        let form = try second.form(FormErrors(), save: .saveOver(theirs.newestVersion + 1))
        let content: HTML = """
            <div class="stack">\(HTML.errors(FormErrors(error)))\(HTML.note(.changedMeanwhile, tone: .warn))\
            <div class="pair">\
            \(HTML.card(
                .theirs(theirs.version), id: "theirs", note: "\(moment: theirs.createdAt)",
                body: "<pre><code>\(theirs.document.value.text)</code></pre>"))\
            \(HTML.card(.yours, id: "yours", body: "<pre><code>\(mine)</code></pre>"))</div>\
            \(HTML.card(body: form))</div>
            """
        return page(content)
    }

    private func page(_ content: HTML) -> Page {
        let title: Phrase = isNew ? .newTemplate : .edit(name.name)
        return Page(
            title: title, current: .templates,
            body: "\(HTML.pageHead(title, crumbs: TemplateScreens.crumbs))\(content)")
    }

    private func form(_ errors: FormErrors, save: Phrase) throws -> HTML {
        let fields = Fields(errors)
        var names = texts.fieldNames.union(["document", "addLanguage"])
        if isNew { names.formUnion(["name", "service"]) }
        let hasFaultyJSON = errors.fields["document"] != nil
        let head: HTML = try isNew ? newFields(fields) : .empty
        let action: ConsolePath = isNew ? "/templates/new" : name.editPath
        let back: ConsolePath = isNew ? "/templates" : name.path
        return visit.form(action: action) {
            """
            \(fields.others(besides: names))<input type="hidden" name="base" value="\(number: base)">\(head)\
            \(texts.html(fields))\
            <details id="languages"><summary class="small">\(.addLanguage)</summary>\
            \(fields.text(
                .languageTag, "addLanguage", hint: .languageHint, autocomplete: "off", maxLength: 35))\
            <button class="button" name="add" value="on">\(.add)</button></details>\
            <details id="others"\("open", if: hasFaultyJSON)><summary class="small">\(.others)</summary>\
            \(fields.area(
                .json, "document", value: rest, rows: 12, hint: .jsonHint,
                attributes: " spellcheck=\"false\""))</details>\
            <div class="row"><a class="button" href="\(back)">\(.backUnchanged)</a>\
            <button class="button button-primary">\(save)</button></div>
            """
        }
    }

    private func newFields(_ fields: Fields) throws -> HTML {
        let services = try visit.carryOut(ListServices()).prefix(1_000).map { service in
            Fields.Choice(service.name, "\(name: service.label)" as HTML)
        }
        return """
            \(fields.text(
                .name, "name", value: name.name, hint: .nameHint, autocomplete: "off", isRequired: true,
                maxLength: 256))\
            \(fields.select(
                .service, "service", [Fields.Choice("", .allServices)] + services,
                value: name.service ?? "", hint: .serviceHint))
            """
    }
}

extension Notice {
    fileprivate static let saved = Notice("template.saved", .saved)
    fileprivate static let savedWithWarnings = Notice(
        "template.savedWithWarnings", .savedWithWarnings, tone: .warn)
    fileprivate static let unchanged = Notice("template.unchanged", .unchanged, tone: .warn)
}

extension Phrase {
    fileprivate static let newTemplate = Phrase("New template", "Neue Vorlage")
    fileprivate static func edit(_ name: String) -> Phrase {
        Phrase("Edit \(isolated(name))", "\(isolated(name)) bearbeiten")
    }
    fileprivate static let saved = Phrase(
        "The template was saved. New deliveries use this version.",
        "Die Vorlage wurde gespeichert. Neue Zustellungen verwenden diese Version.")
    fileprivate static let savedWithWarnings = Phrase(
        "The template was saved. It does not fit all apps of the service, or deliveries must add something.",
        "Die Vorlage wurde gespeichert. Sie passt nicht zu allen Apps des Dienstes, oder Zustellungen müssen "
            + "etwas ergänzen.")
    fileprivate static let unchanged = Phrase(
        "Nothing was changed: the newest version has the same content.",
        "Nichts wurde geändert: Die neueste Version hat denselben Inhalt.")
    fileprivate static let changedMeanwhile = Phrase(
        "Another person saved this template while you were editing it. Nothing is lost: compare both below, "
            + "then save yours as the next version or leave theirs.",
        "Eine andere Person hat diese Vorlage gespeichert, während Sie sie bearbeitet haben. Nichts ist "
            + "verloren: Vergleichen Sie beide, und speichern Sie Ihre als nächste Version, oder "
            + "lassen Sie die andere.")
    fileprivate static func theirs(_ version: Int64) -> Phrase {
        Phrase(
            "Saved by another person (version \(version))",
            "Von einer anderen Person gespeichert (Version \(version))")
    }
    fileprivate static let yours = Phrase("Yours", "Ihre")
    fileprivate static let create = Phrase("Create the template", "Vorlage anlegen")
    fileprivate static func save(_ version: Int64) -> Phrase {
        Phrase("Save as version \(version)", "Als Version \(version) speichern")
    }
    fileprivate static func saveOver(_ version: Int64) -> Phrase {
        Phrase("Save mine as version \(version)", "Meine als Version \(version) speichern")
    }
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let nameHint = Phrase(
        "Deliveries refer to it. It cannot be changed later.",
        "Zustellungen nennen ihn. Er lässt sich später nicht ändern.")
    fileprivate static let nameMissing = Phrase(
        "Enter a name.", "Geben Sie einen Namen ein.")
    fileprivate static let service = Phrase("Service", "Dienst")
    fileprivate static let allServices = Phrase("All services", "Alle Dienste")
    fileprivate static let serviceHint = Phrase(
        "Only deliveries of this service can use the template.",
        "Nur Zustellungen dieses Dienstes können die Vorlage verwenden.")
    fileprivate static let addLanguage = Phrase("Add language", "Sprache hinzufügen")
    fileprivate static let languageTag = Phrase("Language", "Sprache")
    fileprivate static let languageHint = Phrase(
        "A tag such as de, fr or pt-BR.", "Ein Kürzel wie de, fr oder pt-BR.")
    fileprivate static let tagMissing = Phrase("Enter a tag such as de.", "Geben Sie ein Kürzel wie de ein.")
    fileprivate static let add = Phrase("Add", "Hinzufügen")
    fileprivate static let others = Phrase(
        "Everything else: apps, audience, options, schedule",
        "Alles andere: Apps, Zielgruppe, Optionen, Zeitplan")
    fileprivate static let json = Phrase("The rest of the document (JSON)", "Der Rest des Dokuments (JSON)")
    fileprivate static let jsonHint = Phrase(
        #"For example {"content": {"ios": {"sound": "default"}}, "schedule": {"validity": "12h"}}."#,
        #"Zum Beispiel {"content": {"ios": {"sound": "default"}}, "schedule": {"validity": "12h"}}."#
    )
    fileprivate static func notJSON(_ fault: String) -> Phrase {
        Phrase("This is not JSON: \(fault).", "Das ist kein JSON: \(fault).")
    }
}
