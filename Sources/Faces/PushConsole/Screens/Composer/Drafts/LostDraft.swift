internal import PushAPI
internal import PushModel
internal import PushWire

/// Answers a person who saves a step of a draft that was discarded or sent in the meantime. The person can
/// save the input as a new draft, so that nothing is lost.
enum LostDraft {
    /// The name of the field with the draft's service.
    static let service = "_service"
    private static let restore = "_restore"

    /// Carries out a submitted step.
    static func saving(_ visit: Visit, _ submit: (Visit) throws -> Reply) throws -> Reply {
        do { return try submit(visit) } catch let error as OperationError where error.kind == .absent {
            guard try isLost(visit), let service = visit.form.given(service), visit.mayUse(service: service)
            else { throw error }
            guard visit.form.isOn(restore) else { return .refused(409, page(visit)) }
            return try submit(try restored(visit, service))
        }
    }

    /// Answers a request for a page of a draft. A draft that was sent leads to its delivery.
    static func showing(_ visit: Visit, _ show: (Visit) throws -> Reply) throws -> Reply {
        do { return try show(visit) } catch let error as OperationError where error.kind == .absent {
            guard try isLost(visit) else { throw error }
            return .refused(404, gonePage(visit))
        }
    }

    /// The delivery as which the draft was sent; `nil` if it was not sent, or if the person may not see it.
    private static func delivery(_ visit: Visit) -> DeliveryView? {
        let found = try? visit.operations.carryOut(FindSubmittedDraft(try visit.number("id")))
        guard let id = found ?? nil else { return nil }
        return try? visit.carryOut(ShowDelivery(id: id)).delivery
    }

    private static func gonePage(_ visit: Visit) -> Page {
        let head = HTML.pageHead(.title, crumbs: [("\(Phrase.draftsTitle)", "/drafts")])
        let delivery = delivery(visit)
        let text: HTML = delivery.map { "\(.sentAs) \($0.link)." } ?? "\(.gone)"
        return Page(
            title: .title, current: .deliveries,
            body: "\(head)<div class=\"stack\">\(HTML.note(text, tone: .warn))</div>")
    }

    private static func isLost(_ visit: Visit) throws -> Bool {
        do { _ = try visit.draft() } catch let error as OperationError where error.kind == .absent {
            return true
        }
        return false
    }

    /// Returns the same form, as a change of a new draft.
    private static func restored(_ visit: Visit, _ service: String) throws -> Visit {
        let document: JSONValue = [
            "label": .string(visit.form["label"] ?? ""), "service": .string(service),
            "target": ["all": .boolean(true)],
        ]
        let draft = try visit.carryOut(SaveDraft(document, basedOn: nil))
        var form = visit.form.without([Composer.version, restore])
        form.add(Composer.version, "\(draft.version)")
        return visit.with(names: ["id": "\(draft.id)"], form: form)
    }

    private static func page(_ visit: Visit) -> Page {
        let form = visit.form(action: visit.request.address, hasFiles: true) {
            """
            \(Visit.hidden(visit.resubmitted))<input type="hidden" name="\(restore)" value="on">\
            <div class="row"><a class="button" href="\("/drafts" as ConsolePath)">\(.discard)</a>\
            <button class="button button-primary">\(Phrase.save)</button></div>
            """
        }
        let head = HTML.pageHead(.title, crumbs: [("\(Phrase.draftsTitle)", "/drafts")])
        let sent: HTML? = delivery(visit).map { "\(.sentAs) \($0.link). " }
        let note: HTML = "\(sent)\(Phrase.text)"
        return Page(
            title: .title, current: .deliveries,
            body: "\(head)<div class=\"stack\">\(HTML.note(note, tone: .warn))\(HTML.card(body: form))</div>"
        )
    }
}

extension Visit {
    /// The fields of a step's form that submit it again, without the version on which it was based.
    var resubmitted: FormFields {
        var fields = form.without(FormNames.all.union(Composer.ownFields))
        if request.files.contains(where: { $0.field == AudienceForm.file }) {
            // A page cannot contain a file again, so that its user keys are in the list.
            let keys = AudienceForm(visit: self, kinds: [:]).listedKeys
            fields = fields.without([AudienceForm.keys])
            fields.add(AudienceForm.keys, keys.joined(separator: "\n"))
        }
        if let action = form.exact(Composer.action) { fields.add(Composer.action, action) }
        return fields
    }
}

extension Phrase {
    fileprivate static let title = Phrase("The draft is gone", "Der Entwurf ist weg")
    fileprivate static let text = Phrase(
        "It was discarded or sent while you were editing. Your input is not lost: save it as a new draft. "
            + "Its other steps begin empty.",
        "Er wurde verworfen oder gesendet, während Sie ihn bearbeitet haben. Ihre Eingaben sind erhalten: "
            + "Speichern Sie sie als neuen Entwurf. Dessen übrige Schritte beginnen leer.")
    fileprivate static let sentAs = Phrase(
        "This draft was sent as delivery", "Dieser Entwurf wurde gesendet als Zustellung")
    fileprivate static let gone = Phrase(
        "This draft was discarded, or there never was one.",
        "Dieser Entwurf wurde verworfen oder nie angelegt.")
    fileprivate static let discard = Phrase("Discard my input", "Meine Eingaben verwerfen")
    fileprivate static let save = Phrase("Save as a new draft", "Als neuen Entwurf speichern")
}
