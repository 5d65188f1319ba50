internal import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// The `variables` of a single message: the values of the content's placeholders, and of application
/// variables that the content does not give.
struct MessageVariables {
    /// The names in byte order.
    let names: [String]

    /// - Parameter value: The message, already merged with its template.
    init(of value: JSONValue) {
        // A value of another kind is refused when the message is read.
        guard case .object(let members)? = value["variables"] else {
            names = []
            return
        }
        names = members.map(\.key).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns the message with a placeholder for each application variable that `variables` has and the
    /// content does not. All messages of a template therefore share its content, whatever their values are.
    func completed(_ value: JSONValue, for apps: [App]) -> JSONValue {
        guard !names.isEmpty, case .object(var members) = value,
            let place = members.firstIndex(where: { $0.key == "content" }),
            case .object(var content) = members[place].value
        else { return value }
        let known = content.firstIndex { $0.key == "variables" }
        var variables: [JSONMember] = []
        if let known {
            guard case .object(let own) = content[known].value else { return value }
            variables = own
        }
        let declared = Set(apps.flatMap { $0.settings.variables.map { ExactText($0.name) } })
        let given = Set(variables.map { ExactText($0.key) })
        let added = names.filter { declared.contains(ExactText($0)) && !given.contains(ExactText($0)) }
            .compactMap { name in Self.placeholder(name).map { JSONMember(key: name, value: .string($0)) } }
        guard !added.isEmpty else { return value }
        let member = JSONMember(key: "variables", value: .object(variables + added))
        if let known { content[known] = member } else { content.append(member) }
        members[place].value = .object(content)
        return .object(members)
    }

    /// Returns a placeholder without which the message can be sent; `nil` if no placeholder can have the
    /// name.
    private static func placeholder(_ name: String) -> String? {
        let text = "{{\(name)|}}"
        return (try? PersonalText(text))?.pieces == [.value(of: name, fallback: "")] ? text : nil
    }

    /// Returns a warning about names that have no effect; `nil` if there are none.
    func warning(_ checked: [MessageCache.Checked]) -> String? {
        guard !names.isEmpty else { return nil }
        let used = Set(checked.flatMap { $0.needs?.names ?? [] }.map(ExactText.init))
        let idle = Set(names.map(ExactText.init)).subtracting(used)
        guard !idle.isEmpty else { return nil }
        return "variables: neither a text of the content nor an application variable uses "
            + PersonalCheck.list(idle)
    }

    /// Returns the values with which a message is filled; `nil` if the content has no placeholders for any of
    /// the apps.
    static func filling(
        _ variables: [ContentVariable], _ checked: [MessageCache.Checked], for apps: [App]
    ) -> NewMessage.Filling? {
        var needs: [AppID: NewMessage.Filling.Need] = [:]
        for (app, result) in zip(apps, checked) {
            guard let values = result.needs else { continue }
            let known = CollectedFact.known(besides: app.settings.parameters)
            let facts = values.names.compactMap(CollectedFact.init(rawValue:)).filter(known.contains)
            needs[app.id] = NewMessage.Filling.Need(names: values.names, facts: facts) {
                values.missing(in: $0)
            }
        }
        return needs.isEmpty ? nil : NewMessage.Filling(variables: variables, needs: needs)
    }

    /// The maximum number of names that a refusal lists.
    private static let maxListed = 10

    /// Returns the text about values that a message lacks.
    /// - Parameters:
    ///   - devices: The number of devices for which a value is missing.
    ///   - all: The number of all devices of the recipient.
    static func lack(of names: [String], for devices: Int, of all: Int) -> String {
        let shown = names.prefix(maxListed).map { "{{\($0.printable(atMost: 64))}}" }
        let rest = names.count > maxListed ? ["…"] : []
        let which = devices < all ? " for \(devices) of the recipient's \(all) devices" : ""
        let list = (shown + rest).joined(separator: ", ")
        return "variables: no value for \(list)\(which); give each value in variables, or write a default "
            + "into the text, such as {{name|default}}"
    }
}
