internal import PushAPI
internal import PushModel
internal import PushWire

/// A list of named things that an app has.
enum AppItemList: String, CaseIterable {
    case parameters, variables, sounds, categories

    var title: Phrase {
        switch self {
        case .parameters: Phrase("Parameters of subscribers", "Parameter der Abonnenten")
        case .variables: Phrase("Variables of messages", "Variablen der Nachrichten")
        case .sounds: Phrase("Sounds", "Töne")
        case .categories: Phrase("Categories", "Kategorien")
        }
    }

    fileprivate var about: Phrase {
        switch self {
        case .parameters:
            Phrase(
                "The values with which devices register. Texts and conditions use them. If none is declared, "
                    + "all parameters are accepted.",
                "Die Werte, mit denen sich Geräte registrieren. Texte und Bedingungen verwenden sie. Ist "
                    + "keiner deklariert, werden alle angenommen.")
        case .variables:
            Phrase(
                "Values that a delivery gives the app, such as the address of a page.",
                "Werte, die eine Zustellung der App mitgibt, etwa die Adresse einer Seite.")
        case .sounds:
            Phrase("Sounds in the app that a delivery can choose.", "Töne in der App, die zur Wahl stehen.")
        case .categories:
            Phrase(
                "Categories of notifications in the app, which determine their buttons.",
                "Kategorien von Benachrichtigungen in der App, die deren Schaltflächen bestimmen.")
        }
    }

    fileprivate var add: Phrase {
        switch self {
        case .parameters: Phrase("Add the parameter", "Parameter hinzufügen")
        case .variables: Phrase("Add the variable", "Variable hinzufügen")
        case .sounds: Phrase("Add the sound", "Ton hinzufügen")
        case .categories: Phrase("Add the category", "Kategorie hinzufügen")
        }
    }

    /// The member of a change that removes things from the list.
    var removal: String { "removed\(rawValue.prefix(1).uppercased())\(rawValue.dropFirst())" }

    /// Returns the thing that a form describes, as a member of a change.
    func item(in form: FormFields) -> JSONValue {
        let text = name(in: form)
        let name = JSONValue.string(text)
        switch self {
        case .parameters: return ["name": name, "kind": .string(form.given(field("kind")) ?? "text")]
        case .variables:
            let value = form.given(field("default")).map(JSONValue.string) ?? .null
            let isOptional = form.isOn(field("optional"))
            return ["name": name, "default": value, "optional": .boolean(isOptional)]
        case .sounds, .categories:
            return ["internalName": name, "label": .string(form.given(field("label")) ?? text)]
        }
    }

    func name(in form: FormFields) -> String { form.given(field("name")) ?? "" }

    /// The name of a form's field. The page has several forms, and a field's id is derived from its name.
    func field(_ part: String) -> String { "\(rawValue)-\(part)" }
}

/// One of the lists on the page of an app, with the form that adds to it.
struct AppItemCard {
    private let list: AppItemList
    private let app: AppView
    private let visit: Visit
    private let errors: FormErrors
    private let mayChange: Bool

    init(_ list: AppItemList, _ app: AppView, _ visit: Visit, errors: FormErrors, mayChange: Bool) {
        (self.list, self.app, self.visit) = (list, app, visit)
        (self.errors, self.mayChange) = (errors, mayChange)
    }

    private var items: [(name: String, note: HTML)] {
        switch list {
        case .parameters: app.parameters.map { ($0.name, "\($0.kind.title)") }
        case .variables:
            app.variables.map { variable in
                let value: HTML? = variable.defaultValue.map { "\(Phrase.byDefault) \(name: $0)" }
                let note: HTML = variable.isOptional ? "\(Phrase.optional)" : "\(Phrase.required)"
                return (variable.name, value ?? note)
            }
        case .sounds: app.sounds.map { ($0.internalName, "\(name: $0.label)") }
        case .categories: app.categories.map { ($0.internalName, "\(name: $0.label)") }
        }
    }

    private var action: ConsolePath { app.path(below: "items", list.rawValue) }

    var html: HTML {
        let items = items
        let rows = items.prefix(AppPage.maxItems).map { item in
            ["\(name: item.name)" as HTML, item.note, mayChange ? remove(item.name) : .empty]
        }
        let table: HTML? =
            rows.isEmpty ? nil : HTML.table([.init(.name), .init(.about), .actions], Array(rows))
        let form: HTML? = mayChange ? addForm : nil
        let none: HTML = "<p>\(.noEntry)</p>"
        return HTML.card(
            list.title, id: list.rawValue,
            body: "<p class=\"small muted\">\(list.about)</p>\(rows.isEmpty ? none : nil)", table: table,
            foot: form)
    }

    private func remove(_ name: String) -> HTML {
        visit.form(action: action, classes: "inline") {
            """
            <input type="hidden" name="\(list.field("name"))" value="\(name)">\
            <button class="button button-small" name="action" value="remove">\(Phrase.remove)\
            <span class="hidden-text"> \(name: name)</span></button>
            """
        }
    }

    private var addForm: HTML {
        let fields = Fields(errors)
        // Only the form that was submitted keeps what was typed.
        let isOwn = visit.request.method == .post && visit.name("list") == list.rawValue
        func typed(_ part: String) -> String { isOwn ? visit.form.exact(list.field(part)) ?? "" : "" }
        let form = visit.form(action: action) {
            """
            \(HTML.errors(errors))\
            \(fields.text(
                .name, list.field("name"), value: typed("name"), autocomplete: "off", maxLength: 256))\
            \(further(fields, typed))\
            <div class="row"><button class="button button-small" name="action" value="add">\(list.add)\
            </button></div>
            """
        }
        return errors.isEmpty ? HTML.details(list.add, id: "add-\(list.rawValue)", form) : form
    }

    private func further(_ fields: Fields, _ typed: (String) -> String) -> HTML {
        switch list {
        case .parameters:
            let kinds = ParameterDeclaration.Kind.allCases.map { Fields.Choice($0.rawValue, $0.title) }
            return fields.select(.kind, list.field("kind"), kinds, value: typed("kind"))
        case .variables:
            return """
                \(fields.text(
                    .defaultValue, list.field("default"), value: typed("default"), hint: .defaultHint,
                    autocomplete: "off"))\
                \(fields.check(.optional, list.field("optional"), isOn: !typed("optional").isEmpty))
                """
        case .sounds, .categories:
            return fields.text(
                .label, list.field("label"), value: typed("label"), autocomplete: "off", maxLength: 256)
        }
    }
}

extension ParameterDeclaration.Kind {
    var title: Phrase {
        switch self {
        case .text: Phrase("Text", "Text")
        case .number: Phrase("Number", "Zahl")
        case .date: Phrase("Date", "Datum")
        case .boolean: Phrase("Yes or no", "Ja oder nein")
        }
    }
}

extension Phrase {
    fileprivate static let name = Phrase("Name", "Name")
    fileprivate static let noEntry = Phrase("None", "Keine")
    fileprivate static let about = Phrase("Meaning", "Bedeutung")
    fileprivate static let label = Phrase("Label", "Anzeigename")
    fileprivate static let kind = Phrase("Kind of value", "Art der Werte")
    fileprivate static let remove = Phrase("Remove", "Entfernen")
    fileprivate static let byDefault = Phrase("Default:", "Standardwert:")
    fileprivate static let optional = Phrase(same: "Optional")
    fileprivate static let required = Phrase(
        "Each delivery gives a value", "Jede Zustellung gibt einen Wert an")
    fileprivate static let defaultValue = Phrase("Default value", "Standardwert")
    fileprivate static let defaultHint = Phrase(
        "Leave it empty if each delivery must give a value.",
        "Leer lassen, wenn jede Zustellung einen Wert geben muss.")
}
