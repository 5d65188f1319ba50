internal import PushAPI
internal import PushModel
internal import PushWire

/// The changes that the forms on the page of an app make.
enum AppEdits {
    static func label(_ visit: Visit) throws -> Reply {
        try change(visit, ["label": visit.form.given("label").map(JSONValue.string) ?? .null], only: "label")
    }

    static func keys(_ visit: Visit) throws -> Reply {
        if let key = visit.form.exact("retired") {
            return try change(visit, ["retiredIntegrationKey": .string(key)])
        }
        return try change(
            visit, ["addedIntegrationKey": .string(visit.form.given("added") ?? "")], only: "added")
    }

    static func items(_ visit: Visit) throws -> Reply {
        guard let list = AppItemList(rawValue: visit.name("list")) else { throw Refusal.notFound }
        if visit.form.given("action") == "remove" {
            let name = visit.form.exact(list.field("name")) ?? ""
            let members = [JSONMember(key: list.removal, value: .array([.string(name)]))]
            return try change(visit, .object(members), of: list)
        }
        let members = [JSONMember(key: list.rawValue, value: .array([list.item(in: visit.form)]))]
        return try change(visit, .object(members), of: list)
    }

    static func setIcon(_ visit: Visit) throws -> Reply {
        if visit.form.isOn("remove") { return try change(visit, ["removesIcon": .boolean(true)]) }
        guard let file = visit.request.files.first(where: { $0.field == "icon" }) else {
            return .refused(422, try AppPage(visit).page(FormErrors(.noFile)))
        }
        return try change(visit, ["icon": .string(AppIconImage(png: file.bytes).jsonText)])
    }

    /// Returns the icon as a file, for the pages that show it.
    static func icon(_ visit: Visit) throws -> Reply {
        var show = ShowAppIcon()
        show.name = visit.name("app")
        let icon = try visit.carryOut(show)
        return .file(icon.icon.png, type: "image/png", name: "icon.png")
    }

    /// - Parameters:
    ///   - list: The list whose form was submitted; `nil` if it was another form.
    ///   - field: The field of a form that has no other.
    private static func change(
        _ visit: Visit, _ body: JSONValue, of list: AppItemList? = nil, only field: String? = nil
    ) throws -> Reply {
        let app = try visit.app()
        do {
            let change = try visit.ask(UpdateApp.self, ["name": app.name], body: body)
            return .redirect(change.app.path, notice: AppScreens.changed)
        } catch let error as OperationError {
            var errors = FormErrors(
                error, ofFields: ["label"], names: ["addedIntegrationKey": "added"])
            if let field { errors.assignOthers(to: field) }
            return .refused(422, try AppPage(visit).page(errors, of: list))
        }
    }
}

extension Phrase {
    fileprivate static let noFile = Phrase("Choose a PNG image.", "Wählen Sie ein PNG-Bild.")
}
