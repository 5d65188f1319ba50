internal import PushAPI
internal import PushModel

/// The forms that add a device to the quarantine and release devices.
enum QuarantineForms {
    static let addFields: Set = ["app", "token", "reason"]
    static let releaseFields: Set = ["app", "what", "value", "tokens", "userKey"]

    private static func page(_ title: Phrase, _ form: HTML) -> Page {
        let crumbs: [(title: HTML, path: ConsolePath)] = [
            ("\(NavigationItem.quarantine.title)", "/quarantine")
        ]
        let body: HTML = "\(HTML.pageHead(title, crumbs: crumbs))\(HTML.card(body: form))"
        return Page(title: title, current: .quarantine, body: body)
    }

    static func adding(
        _ visit: Visit, _ given: FormFields, _ errors: FormErrors = FormErrors()
    ) throws -> Page {
        let fields = Fields(errors)
        let app = fields.app(try visit.apps(), value: given["app"])
        let form = visit.form(action: "/quarantine/add") {
            """
            \(fields.others(besides: addFields))\(app)
            \(fields.text(
                .token, "token", value: given["token"] ?? "", hint: .tokenHint, autocomplete: "off",
                isRequired: true))
            \(fields.text(
                .reason, "reason", value: given["reason"] ?? "", hint: .reasonHint, isRequired: true))
            <div class="row"><a class="button" href="\("/quarantine" as ConsolePath)">\(.backUnchanged)\
            </a>\
            <button class="button button-primary">\(Phrase.add)</button></div>
            """
        }
        return page(.addTitle, form)
    }

    static func releasing(
        _ visit: Visit, _ given: FormFields, _ errors: FormErrors = FormErrors()
    ) throws -> Page {
        let fields = Fields(errors)
        let app = fields.app(try visit.apps(), value: given["app"])
        let choices: [Fields.Choice] = [
            .init("userKey", .byUserKey), .init("token", .byToken),
            .init("all", .wholeApp, hint: .wholeAppHint),
        ]
        let form = visit.form(action: "/quarantine/release") {
            """
            \(fields.others(besides: ["app", "what", "value"]))\(app)
            \(fields.radios(.which, "what", choices, value: given["what"] ?? "userKey"))
            \(fields.text(.value, "value", value: given["value"] ?? "", autocomplete: "off"))
            <div class="row"><a class="button" href="\("/quarantine" as ConsolePath)">\(.backUnchanged)\
            </a>\
            <button class="button button-primary">\(Phrase.release)</button></div>
            """
        }
        return page(.releaseTitle, form)
    }

    /// Asks before all devices of an app are released.
    static func confirmingAll(_ visit: Visit, app: String) throws -> Page {
        guard try visit.carryOut(ListApps()).contains(where: { $0.name == app }) else {
            return try releasing(visit, visit.form, FormErrors("app", .unknownApp))
        }
        let hidden: HTML = """
            <input type="hidden" name="app" value="\(app)"><input type="hidden" name="what" value="all">\
            <input type="hidden" name="sure" value="yes">
            """
        let body = HTML.confirmation(
            visit, title: "\(Phrase.allTitle(app))", consequence: "\(Phrase.allText)", fields: hidden,
            action: "/quarantine/release", label: .releaseAll,
            back: ("/quarantine/release" as ConsolePath).with("app", app))
        return Page(title: .allTitle(app), current: .quarantine, body: body)
    }
}

extension Phrase {
    fileprivate static let unknownApp = Phrase("There is no such app.", "Diese App gibt es nicht.")
    fileprivate static let token = Phrase("Registration token", "Registrierungstoken")
    fileprivate static let tokenHint = Phrase(
        "The device's token, as the app registered it.",
        "Das Token des Geräts, wie die App es registriert hat.")
    fileprivate static let reason = Phrase("Reason", "Grund")
    fileprivate static let reasonHint = Phrase(
        "Other operators see it, also in the audit trail. It must not contain the token.",
        "Andere im Betrieb sehen ihn, auch im Protokoll. Er darf das Token nicht enthalten.")
    fileprivate static let add = Phrase("Put into quarantine", "In Quarantäne setzen")
    fileprivate static let addTitle = Phrase("Put a device into quarantine", "Gerät in Quarantäne setzen")
    fileprivate static let releaseTitle = Phrase("Release devices", "Geräte freigeben")
    fileprivate static let release = Phrase("Release", "Freigeben")
    fileprivate static let which = Phrase("Which devices", "Welche Geräte")
    fileprivate static let byUserKey = Phrase("All devices of one person", "Alle Geräte einer Person")
    fileprivate static let byToken = Phrase("One device", "Ein Gerät")
    fileprivate static let wholeApp = Phrase("All devices of the app", "Alle Geräte der App")
    fileprivate static let wholeAppHint = Phrase(
        "You confirm this on the next page.", "Sie bestätigen das auf der nächsten Seite.")
    fileprivate static let value = Phrase("User key or token", "Nutzerschlüssel oder Token")
    fileprivate static func allTitle(_ app: String) -> Phrase {
        let app = isolated(app)
        return Phrase("Release all devices of \(app)?", "Alle Geräte von \(app) freigeben?")
    }
    fileprivate static let allText = Phrase(
        "All devices of the app that have errors become reachable again, and their errors are cleared. The "
            + "next delivery is sent to devices that may no longer exist. This cannot be undone.",
        "Alle Geräte der App mit Fehlern werden wieder erreichbar, ihre Fehler werden gelöscht. Die nächste "
            + "Zustellung geht auch an Geräte, die es vielleicht nicht mehr gibt. Das lässt sich nicht "
            + "rückgängig machen.")
    fileprivate static let releaseAll = Phrase("Release all", "Alle freigeben")
}
