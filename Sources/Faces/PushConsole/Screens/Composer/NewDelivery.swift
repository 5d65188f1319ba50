internal import PushAPI
internal import PushModel
internal import PushWire

/// The page on which a delivery begins: empty, from a template, or as a copy of an earlier delivery.
enum NewDelivery {
    static var crumbs: [(title: HTML, path: ConsolePath)] {
        [("\(NavigationItem.deliveries.title)", NavigationItem.deliveries.path)]
    }

    private static let label = "label"
    private static let service = "service"
    private static let template = "template"
    /// The id of a delivery to copy.
    private static let copy = "copy"

    static func show(_ visit: Visit) throws -> Reply { .page(try page(visit, FormErrors())) }

    static func submit(_ visit: Visit) throws -> Reply {
        do {
            let draft = try visit.carryOut(SaveDraft(try document(visit), basedOn: nil))
            return .redirect(ComposerStep.content.path(draft.id))
        } catch let error as OperationError
            where [.refused, .noMatch, .conflict, .absent].contains(error.kind)
        {
            return .refused(422, try page(visit, FormErrors(error, names: ["document.service": service])))
        }
    }

    private static func document(_ visit: Visit) throws -> JSONValue {
        let form = visit.form
        let name = form.given(label)
        if let id = form.number(copy) {
            var changes: [JSONMember] = []
            if let name { changes.append(.init(key: label, value: .string(name))) }
            let bytes = JSONValue.object(changes).documentBytes
            let copied = try visit.carryOut(
                DraftDelivery(id: DeliveryID(rawValue: Int64(id)), changes: bytes, documentName: ""))
            guard case .string(let owner)? = copied.document["service"], visit.mayUse(service: owner) else {
                throw Refusal.notFound
            }
            return copied.document
        }
        guard let chosen = form.given(service), visit.mayUse(service: chosen) else {
            throw OperationError(.refused, Phrase.serviceMissing.text)
        }
        var members: [JSONMember] = [.init(key: service, value: .string(chosen))]
        // A draft contains the content of its template, so that people see what they change.
        if let key = form.given(template) {
            let parts = key.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            guard parts.count == 2 else { throw Refusal.notFound }
            let found = try visit.carryOut(
                ShowTemplate(name: parts[1], service: parts[0].isEmpty ? nil : parts[0]))
            if case .object(let given) = found.document.value {
                members += given.filter { $0.key != service && $0.key != label }
            }
        }
        let given = name ?? Phrase.nameOf(Moments.long(visit.now)).text
        members.insert(.init(key: label, value: .string(given)), at: 0)
        if !members.contains(where: { $0.key == "target" }) {
            members.append(.init(key: "target", value: ["all": .boolean(true)]))
        }
        // A service whose apps are all in the sandbox has no app in production, the usual environment.
        var list = ListApps()
        list.service = chosen
        let apps = try visit.carryOut(list)
        if !apps.isEmpty, apps.allSatisfy({ $0.environment == .sandbox }),
            !members.contains(where: { ["apps", "environments"].contains($0.key) })
        {
            members.append(.init(key: "environments", value: .array([.string("sandbox")])))
        }
        return .object(members)
    }

    private static func page(_ visit: Visit, _ errors: FormErrors) throws -> Page {
        let services = try visit.services()
        let values = visit.request.method == .post ? visit.form : visit.query
        let fields = Fields(errors)
        guard !services.isEmpty else {
            let empty = HTML.emptyState(.noService, .noServiceText)
            return Page(
                title: .newDelivery, current: .deliveries,
                body: "\(HTML.pageHead(.newDelivery, crumbs: crumbs))\(empty)")
        }
        let source: HTML
        var name = values.exact(label) ?? ""
        if let id = values.number(copy) {
            if values.exact(label) == nil { name = copiedName(visit, id) }
            source = """
                <input type="hidden" name="\(copy)" value="\(number: id)">\
                <p>\(Phrase.copyOf) <a href="\("/deliveries/\(id)" as ConsolePath)">#\(number: id)</a></p>
                """
        } else {
            source = """
                \(serviceField(services, values, fields))\
                \(try templateField(visit, services, values, fields))
                """
        }
        let form = visit.form(action: "/deliveries/new") {
            """
            \(fields.others(besides: [label, service, template]))\
            \(fields.text(.name, label, value: name, hint: .nameHint,
                autocomplete: "off", maxLength: 250))\(source)\
            <div class="row"><button class="button button-primary">\(Phrase.start)</button></div>
            """
        }
        let drafts = HTML.link(.draftsTitle, "/drafts")
        return Page(
            title: .newDelivery, current: .deliveries,
            body: "\(HTML.pageHead(.newDelivery, crumbs: crumbs, actions: drafts))\(HTML.card(body: form))")
    }

    /// The name of a copy; empty if the delivery cannot be copied.
    private static func copiedName(_ visit: Visit, _ id: Int) -> String {
        let draft = DraftDelivery(
            id: DeliveryID(rawValue: Int64(id)), changes: Array("{}".utf8), documentName: "")
        guard let document = try? visit.carryOut(draft).document,
            case .string(let owner)? = document["service"], visit.mayUse(service: owner)
        else { return "" }
        return document[label]?.fieldText ?? ""
    }

    private static func serviceField(
        _ services: [ServiceView], _ values: FormFields, _ fields: Fields
    ) -> HTML {
        if services.count == 1, let only = services.first {
            return "<input type=\"hidden\" name=\"\(service)\" value=\"\(only.name)\">"
        }
        let choices = services.prefix(1_000).map { Fields.Choice($0.name, "\(name: $0.label)" as HTML) }
        return fields.select(.service, service, Array(choices), value: values[service])
    }

    private static func templateField(
        _ visit: Visit, _ services: [ServiceView], _ values: FormFields, _ fields: Fields
    ) throws -> HTML {
        let names = Set(services.map(\.name))
        let templates = try visit.carryOut(ListTemplates()).filter { template in
            template.service.map(names.contains) ?? true
        }
        guard !templates.isEmpty else { return .empty }
        let choices = templates.prefix(500).map { template -> Fields.Choice in
            let owner: HTML? = template.service.map { " (\(name: $0))" }
            return Fields.Choice(
                "\(template.service ?? "")/\(template.name)", "\(name: template.name)\(owner)" as HTML)
        }
        return fields.select(
            .template, template, [Fields.Choice("", Phrase.emptyDraft)] + choices, value: values[template])
    }
}

/// The list of drafts, and their removal.
enum DraftList {
    static func show(_ visit: Visit) throws -> Reply {
        var list = ListDrafts()
        let cursor = visit.query.given("cursor")
        if let cursor {
            list = try ListDrafts.request(names: [:], query: ["cursor": cursor], body: [])
        }
        let page = try visit.carryOut(list)
        let rows = page.items.filter { visit.mayUse(service: $0.service) }.map { draft -> [HTML] in
            let remove = HTML.link(
                .remove, "/drafts/\(draft.id)/remove", classes: "button-small button-danger",
                subject: draft.shownLabel)
            return [
                draft.link,
                "\(name: draft.service)", "\(name: draft.changedBy.personName)", "\(moment: draft.updatedAt)",
                remove,
            ]
        }
        let columns: [HTML.Column] = [
            .init(.name), .init(.service), .init(.changedBy), .init(.savedAt), .actions,
        ]
        let new = HTML.link(.newDelivery, "/deliveries/new", classes: "button-primary")
        let table: HTML =
            rows.isEmpty
            ? HTML.emptyState(.noDrafts, .noDraftsText)
            : """
            \(HTML.card(table: HTML.table(columns, rows, caption: .draftsTitle)))\
            \(HTML.pager("/drafts", cursor: cursor, next: page.next))
            """
        return .page(
            Page(
                title: .draftsTitle, current: .deliveries,
                body: "\(HTML.pageHead(.draftsTitle, crumbs: NewDelivery.crumbs, actions: new))\(table)")
        )
    }

    static func confirm(_ visit: Visit) throws -> Reply {
        let draft = try visit.draft()
        let label = draft.label.isEmpty ? "#\(draft.id)" : draft.label
        let body = HTML.confirmation(
            visit, title: "\(Phrase.removeTitle(label))", consequence: "\(Phrase.removeText)",
            facts: HTML.facts([
                (.changedBy, "\(name: draft.changedBy.personName)"), (.savedAt, "\(moment: draft.updatedAt)"),
            ]),
            action: "/drafts/\(draft.id)/remove", label: .removeDraft,
            back: ComposerStep.content.path(draft.id))
        return .page(Page(title: .removeTitle(label), current: .deliveries, body: body))
    }

    static func remove(_ visit: Visit) throws -> Reply {
        do {
            _ = try visit.carryOut(RemoveDraft(try visit.draft().id))
        } catch let error as OperationError where error.kind == .absent {
            // The form was submitted twice, or another person was faster.
        }
        return .redirect("/drafts", notice: .draftRemoved)
    }
}

extension Notice {
    static let draftRemoved = Notice(
        "draft.removed", Phrase("The draft was discarded.", "Der Entwurf wurde verworfen."))
}

extension Phrase {
    fileprivate static let newDelivery = Phrase("New delivery", "Neue Zustellung")
    fileprivate static let start = Phrase("Start writing", "Schreiben beginnen")
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let nameHint = Phrase(
        "Only people in this console see it. If empty: the date and the time.",
        "Nur Personen in dieser Konsole sehen ihn. Wenn leer: Datum und Uhrzeit.")
    fileprivate static func nameOf(_ time: String) -> Phrase {
        Phrase("Delivery of \(time)", "Zustellung vom \(time)")
    }
    fileprivate static let service = Phrase("Service", "Dienst")
    fileprivate static let serviceMissing = Phrase("Choose a service.", "Wählen Sie einen Dienst.")
    fileprivate static let template = Phrase("Start from", "Beginnen mit")
    fileprivate static let emptyDraft = Phrase("An empty draft", "Leerem Entwurf")
    fileprivate static let copyOf = Phrase("This is a copy of", "Das ist eine Kopie von")
    fileprivate static let noService = Phrase("There is no service yet", "Es gibt noch keinen Dienst")
    fileprivate static let noServiceText = Phrase(
        "A delivery goes to the apps of a service. Ask an admin to create a service and its apps.",
        "Eine Zustellung geht an die Apps eines Dienstes. Bitten Sie die Verwaltung, einen Dienst und seine "
            + "Apps anzulegen.")
    fileprivate static let changedBy = Phrase("Saved by", "Gespeichert von")
    fileprivate static let savedAt = Phrase("Saved", "Gespeichert")
    fileprivate static let remove = Phrase("Discard…", "Verwerfen…")
    fileprivate static let removeDraft = Phrase("Discard the draft", "Entwurf verwerfen")
    fileprivate static func removeTitle(_ label: String) -> Phrase {
        let label = isolated(label)
        return Phrase("Discard \(label)?", "\(label) verwerfen?")
    }
    fileprivate static let removeText = Phrase(
        "The draft is discarded for everyone. This cannot be undone.",
        "Der Entwurf wird für alle verworfen. Das lässt sich nicht rückgängig machen.")
    fileprivate static let noDrafts = Phrase("There is no draft yet", "Es gibt noch keinen Entwurf")
    fileprivate static let noDraftsText = Phrase(
        "Start a delivery. You can save it at any time and continue later.",
        "Beginnen Sie eine Zustellung. Sie können sie jederzeit speichern und später fortfahren.")
}
