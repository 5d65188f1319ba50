internal import PushAPI
internal import PushModel
internal import PushWire

/// Recalls a delivery: stops it, and replaces it on the devices with another content.
enum RecallScreen {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/deliveries/{id}/recall", needs: .send) { visit in
            let delivery = try DeliveryActions.delivery(of: visit)
            let content = try visit.carryOut(ShowDeliveryDocument(id: delivery.id)).document["content"]
            return .page(page(visit, delivery, ContentTexts(of: content), FormErrors()))
        },
        ConsoleRoute(.post, "/deliveries/{id}/recall", needs: .send, once: true) { try recall($0) },
    ]

    static let notices: [Notice] = [.recalled, .recalledOnly, .recalledInPart]

    private static func recall(_ visit: Visit) throws -> Reply {
        let delivery = try DeliveryActions.delivery(of: visit)
        let texts = ContentTexts(of: visit.form)
        do {
            let content = try visit.carryOut(ShowDeliveryDocument(id: delivery.id)).document["content"]
            let document: JSONValue = ["content": texts.merged(into: content)]
            let recalled = try visit.carryOut(
                RecallDelivery(id: delivery.id, document: document.documentBytes, documentName: ""))
            guard let replacement = recalled.replacement else {
                return .redirect(delivery.path, notice: .recalledOnly)
            }
            return .redirect(
                "/deliveries/\(replacement.rawValue)",
                notice: recalled.warnings.isEmpty ? .recalled : .recalledInPart)
        } catch let error as OperationError {
            return .refused(422, page(visit, delivery, texts, FormErrors(error, names: texts.names)))
        }
    }

    private static func page(
        _ visit: Visit, _ delivery: DeliveryView, _ texts: ContentTexts, _ errors: FormErrors
    ) -> Page {
        let fields = Fields(errors)
        let pause: HTML =
            delivery.state.isFinal || delivery.state == .paused || delivery.state == .stopping
            ? .empty
            : """
            <button class="button" \
            formaction="\("/deliveries/\(delivery.id.rawValue)/pause" as ConsolePath)">\
            \(.pauseInstead)</button>
            """
        let form = visit.form(action: "/deliveries/\(delivery.id.rawValue)/recall") {
            """
            \(fields.others(besides: texts.fieldNames))<p>\(.explanation)</p>\
            \(HTML.facts([
                (.willBeReplaced, "\(count: delivery.counts.sent)"),
                (.willNotBeSent, "\(count: delivery.waiting)"),
            ]))\(texts.html(fields))\
            <div class="row"><a class="button" href="\(delivery.path)">\(.backUnchanged)</a>\(pause)\
            <button class="button button-destroy">\(Phrase.recall(delivery.counts.sent))</button></div>
            """
        }
        let title = Phrase.title(delivery.shownLabel)
        return Page(
            title: title, current: .deliveries,
            body: "\(HTML.pageHead("\(title)" as HTML))\(HTML.card(body: form))")
    }
}

extension Notice {
    fileprivate static let recalled = Notice("delivery.recalled", .recalled)
    fileprivate static let recalledOnly = Notice("delivery.recalledOnly", .recalledOnly)
    fileprivate static let recalledInPart = Notice(
        "delivery.recalledInPart", .recalledInPart, tone: .warn)
}

extension Phrase {
    fileprivate static func title(_ label: String) -> Phrase {
        Phrase("Recall \(isolated(label))?", "\(isolated(label)) zurückrufen?")
    }
    fileprivate static let explanation = Phrase(
        "The rest of the delivery is stopped. The devices that received it get the texts below, which "
            + "replace the notification where the content has a name for it. This cannot be undone.",
        "Der Rest der Zustellung wird gestoppt. Die Geräte, die sie empfingen, erhalten die Texte unten. "
            + "Diese ersetzen die Benachrichtigung, wenn der Inhalt einen Namen für sie hat. Das lässt "
            + "sich nicht rückgängig machen.")
    fileprivate static let willBeReplaced = Phrase("Will be replaced", "Wird ersetzt")
    fileprivate static let willNotBeSent = Phrase("Will not be sent", "Wird nicht gesendet")
    fileprivate static let pauseInstead = Phrase("Pause", "Anhalten")
    fileprivate static func recall(_ count: Int) -> Phrase {
        let count = Formats.count(count)
        return Phrase("Recall and send to \(count)", "Zurückrufen und an \(count) senden")
    }
    fileprivate static let recalled = Phrase(
        "The delivery was recalled. This is its replacement.",
        "Die Zustellung wurde zurückgerufen. Dies ist ihr Ersatz.")
    fileprivate static let recalledOnly = Phrase(
        "The delivery was stopped. Nothing of it had been sent, so there is no replacement.",
        "Die Zustellung wurde gestoppt. Es war noch nichts gesendet, deshalb gibt es keinen Ersatz.")
    fileprivate static let recalledInPart = Phrase(
        "The delivery was recalled. This is its replacement. It does not replace the notification on every "
            + "device: compare the apps of both.",
        "Die Zustellung wurde zurückgerufen. Dies ist ihr Ersatz. Er ersetzt die Benachrichtigung nicht auf "
            + "allen Geräten: Vergleichen Sie die Apps beider.")
}
