internal import PushAPI
internal import PushModel
internal import PushWire

/// Templates with their versions.
enum TemplateScreens: ScreenGroup {
    static let routes: [ConsoleRoute] =
        [
            ConsoleRoute(.get, "/templates", needs: .read) { try list($0) },
            ConsoleRoute(.get, "/templates/shared/{name}", needs: .read) { try show($0) },
            ConsoleRoute(.get, "/templates/of/{service}/{name}", needs: .read) { try show($0) },
            ConsoleRoute(.get, "/templates/shared/{name}/delete", needs: .admin) { try deletePage($0) },
            ConsoleRoute(.get, "/templates/of/{service}/{name}/delete", needs: .admin) { try deletePage($0) },
            ConsoleRoute(.post, "/templates/shared/{name}/delete", needs: .admin) { try delete($0) },
            ConsoleRoute(.post, "/templates/of/{service}/{name}/delete", needs: .admin) { try delete($0) },
        ] + TemplateEditor.routes

    static let notices: [Notice] = [.deleted] + TemplateEditor.notices

    // MARK: The list

    private static func list(_ visit: Visit) throws -> Reply {
        var request = ListTemplates()
        request.service = visit.query.given("service")
        let templates = try visit.carryOut(request)
        let part = ListPart(of: templates, visit)
        let path = ("/templates" as ConsolePath).with("service", request.service)
        let canEdit = visit.isPermitted(SaveTemplate.self)
        let create = canEdit ? HTML.link(.newTemplate, "/templates/new", classes: "button-primary") : .empty
        let content: HTML
        if !part.items.isEmpty {
            content = HTML.card(table: table(part.items.map { row($0, visit) }))
        } else if !templates.isEmpty {
            content = HTML.emptyState(.noMore, .noMoreText)
        } else {
            content = HTML.emptyState(.nothing, canEdit ? .nothingText : .nothingToSee)
        }
        let body: HTML = """
            \(HTML.pageHead(NavigationItem.templates.title, actions: create))
            <div class="stack">\(content)\(part.pager(path))</div>
            """
        return .page(Page(title: NavigationItem.templates.title, current: .templates, body: body))
    }

    private static func table(_ rows: [[HTML]]) -> HTML {
        HTML.table(
            [.init(.template), .init(.service), .init(.version, .number), .init(.savedAt), .actions], rows,
            caption: NavigationItem.templates.title)
    }

    private static func row(_ template: TemplateSummaryView, _ visit: Visit) -> [HTML] {
        let name = TemplateName(name: template.name, service: template.service)
        let edit =
            visit.isPermitted(SaveTemplate.self)
            ? HTML.link(.edit, name.editPath, classes: "button-small", subject: template.name) : .empty
        return [
            "<a href=\"\(name.path)\">\(name: template.name)</a>", service(template.service),
            "\(number: template.version)", "\(moment: template.createdAt)", edit,
        ]
    }

    static func service(_ name: String?) -> HTML { name.map { "\(name: $0)" } ?? "\(.allServices)" }

    // MARK: One template

    private static func show(_ visit: Visit) throws -> Reply {
        let name = TemplateName(of: visit)
        let version = visit.query.number("version").flatMap { $0 > 0 ? Int64($0) : nil }
        let template = try name.show(visit, version: version)
        let content = template.document.value["content"]
        let texts = ContentTexts(of: content).versions.prefix(30).map { text -> HTML in
            let label: Phrase = text.language.map(LanguageNames.title) ?? .mainContent
            return """
                <h3>\(label)</h3>\(HTML.facts([
                    (.title, text.title.isEmpty ? "–" : "\(name: text.title)"),
                    (.body, text.body.isEmpty ? "–" : "\(name: text.body)"),
                ]))
                """
        }
        let json = template.document.value.text
        let isOld = template.version < template.newestVersion
        let old: HTML =
            isOld ? HTML.note(Phrase.old(template.version, template.newestVersion), tone: .warn) : .empty
        let body: HTML = """
            \(HTML.pageHead(
                "\(name: template.name)" as HTML, crumbs: crumbs, meta: [
                    service(template.service), "\(Phrase.versionNumber(template.version))",
                    "\(moment: template.createdAt)",
                ], actions: actions(visit, name, template)))
            <div class="stack">\(old)\
            \(HTML.card(.texts, id: "texts", body: "<div class=\"stack-tight\">\(Array(texts))</div>"))\
            \(HTML.card(.everything, id: "everything", body: "<pre><code>\(json)</code></pre>"))\
            \(versions(name, template))</div>
            """
        return .page(Page(title: template.name, current: .templates, body: body))
    }

    static var crumbs: [(title: HTML, path: ConsolePath)] {
        [(title: "\(NavigationItem.templates.title)", path: "/templates")]
    }

    private static func actions(_ visit: Visit, _ name: TemplateName, _ template: TemplateView) -> HTML {
        var actions = HTML.empty
        let new: ConsolePath = "/deliveries/new"
        if visit.table.hasPage(new), visit.isPermitted(SubmitDelivery.self) {
            actions += HTML.link(
                .use,
                new.with("service", name.service).with("template", "\(name.service ?? "")/\(name.name)"),
                subject: name.name)
        }
        if visit.isPermitted(SaveTemplate.self) {
            let isOld = template.version < template.newestVersion
            actions += HTML.link(
                isOld ? .editOld : .edit,
                isOld ? name.editPath.with("version", "\(template.version)") : name.editPath,
                classes: "button-primary", subject: name.name)
        }
        if visit.isPermitted(DeleteTemplate.self) {
            actions += HTML.link(.delete, name.deletePath, classes: "button-danger", subject: name.name)
        }
        return actions
    }

    private static func versions(_ name: TemplateName, _ template: TemplateView) -> HTML {
        guard template.oldestVersion < template.newestVersion else { return .empty }
        let newest = template.newestVersion
        let links = (max(template.oldestVersion, newest - 49)...newest).reversed().map { version -> HTML in
            let mark = version == template.version ? "page" : nil
            return """
                <a href="\(name.path(version: version))"\("aria-current", is: mark)>\
                \(Phrase.versionNumber(version))</a>
                """
        }
        return HTML.card(
            .versions, id: "versions",
            body: "<nav class=\"row\" aria-labelledby=\"versions\">\(Array(links))</nav>")
    }

    // MARK: Deleting

    private static func deletePage(_ visit: Visit) throws -> Reply {
        let name = TemplateName(of: visit)
        let template = try name.show(visit)
        let title = Phrase.deleteTitle(name.name)
        return .page(
            Page(
                title: title, current: .templates,
                body: HTML.confirmation(
                    visit, title: "\(title)", consequence: "\(.deleteText)",
                    facts: HTML.facts([
                        (.service, service(template.service)),
                        (.versions, "\(number: template.newestVersion - template.oldestVersion + 1)"),
                    ]), action: name.deletePath, label: .deleteForGood, back: name.path)))
    }

    private static func delete(_ visit: Visit) throws -> Reply {
        let name = TemplateName(of: visit)
        var request = DeleteTemplate()
        (request.name, request.service) = (name.name, name.service)
        _ = try visit.carryOut(request)
        return .redirect("/templates", notice: .deleted)
    }
}

extension Notice {
    fileprivate static let deleted = Notice("template.deleted", .deleted)
}

extension Phrase {
    fileprivate static let newTemplate = Phrase("New template", "Neue Vorlage")
    fileprivate static let template = Phrase("Template", "Vorlage")
    fileprivate static let service = Phrase("Service", "Dienst")
    fileprivate static let allServices = Phrase("All services", "Alle Dienste")
    fileprivate static let version = Phrase("Version", "Version")
    fileprivate static let savedAt = Phrase("Saved", "Gespeichert")
    fileprivate static let use = Phrase("New delivery with it", "Neue Zustellung damit")
    fileprivate static let edit = Phrase("Edit", "Bearbeiten")
    fileprivate static let editOld = Phrase("Edit from this version", "Ab dieser Version bearbeiten")
    fileprivate static let delete = Phrase("Delete…", "Löschen…")
    fileprivate static let deleteForGood = Phrase("Delete for good", "Endgültig löschen")
    fileprivate static let deleted = Phrase("The template was deleted.", "Die Vorlage wurde gelöscht.")
    fileprivate static let nothing = Phrase("There is no template yet", "Es gibt noch keine Vorlage")
    fileprivate static let nothingText = Phrase(
        "A template is content that many deliveries use. Create the first one.",
        "Eine Vorlage ist ein Inhalt für viele Zustellungen. Legen Sie die erste an.")
    fileprivate static let nothingToSee = Phrase(
        "A template is content that many deliveries use. Operators create templates.",
        "Eine Vorlage ist ein Inhalt für viele Zustellungen. Der Betrieb legt Vorlagen an.")
    fileprivate static let noMore = Phrase("No further templates", "Keine weiteren Vorlagen")
    fileprivate static let noMoreText = Phrase("The list ends here.", "Die Liste ist hier zu Ende.")
    fileprivate static let title = Phrase("Title", "Titel")
    fileprivate static let body = Phrase("Text", "Text")
    fileprivate static let texts = Phrase("Texts", "Texte")
    fileprivate static let everything = Phrase("The whole template", "Die ganze Vorlage")
    fileprivate static let versions = Phrase("Versions", "Versionen")
    fileprivate static func versionNumber(_ number: Int64) -> Phrase {
        Phrase("Version \(number)", "Version \(number)")
    }
    fileprivate static func old(_ version: Int64, _ newest: Int64) -> Phrase {
        Phrase(
            "This is version \(version). The newest one is \(newest), which new deliveries use.",
            "Dies ist Version \(version). Die neueste ist \(newest); neue Zustellungen verwenden diese.")
    }
    fileprivate static func deleteTitle(_ name: String) -> Phrase {
        Phrase("Delete \(isolated(name))?", "\(isolated(name)) löschen?")
    }
    fileprivate static let deleteText = Phrase(
        "All its versions are deleted. This cannot be undone. Deliveries that used it keep their content.",
        "Alle Versionen werden gelöscht. Das lässt sich nicht rückgängig machen. Zustellungen, die sie "
            + "verwendet haben, behalten ihren Inhalt.")
}
