internal import PushModel
internal import PushStore
internal import PushWire

extension DeliveryIntake {
    /// The maximum number of services that an error lists.
    private static let maxServices = 10

    /// Returns the document, completed with the members of its template if it names one. The template's
    /// version is the one that the document states, or otherwise the newest.
    /// - Parameter source: The source of the recipients. The template's target is used only if it is the
    ///   document.
    func filled(
        _ document: JSONValue, target source: DeliveryDocument.TargetSource = .document,
        in operations: Operations
    ) throws -> JSONValue {
        guard let reference = TemplateReference(in: document) else { return document }
        let service: Service?
        switch document["service"] {
        case .string(let name)?:
            guard let found = try catalogue.service(named: name) else { throw try noService(name) }
            service = found
        case nil: service = try onlyService(withTemplate: reference.name, in: operations.store)
        case .some: return document
        }
        let template = try operations.template(reference, usedBy: service) { refusal("template: \($0)") }
        var base = template.value
        if let service, base["service"] == nil, case .object(let members) = base {
            base = .object(members + [JSONMember(key: "service", value: .string(service.name))])
        }
        let filled = TemplateMerge.delivery(document, over: base, template.version, target: source)
        if !TemplateMerge.choosesApps(document) { try checkApps(of: template, in: filled) }
        return filled
    }

    /// Returns the only service with a template of this name, for a document that does not name its service;
    /// `nil` if no service has one.
    private func onlyService(withTemplate name: String, in store: Store) throws -> Service? {
        let names = try store.templates.services(withTemplate: name, limit: Self.maxServices + 1)
        guard let first = names.first else { return nil }
        guard names.count == 1 else {
            let list = names.prefix(Self.maxServices).joined(separator: ", ")
            throw refusal(
                "service: missing; several services have a template \(name.printable(atMost: 64)): \(list)"
                    + (names.count > Self.maxServices ? ", …" : ""))
        }
        return try catalogue.service(named: first)
    }

    /// Refuses a template that names an app which its service no longer has.
    private func checkApps(of template: NamedTemplate, in document: JSONValue) throws {
        guard case .array(let apps)? = template.value["apps"], case .string(let name)? = document["service"],
            let (service, candidates) = try catalogue.serviceWithApps(named: name)
        else { return }
        let gone = apps.compactMap { app -> String? in
            guard case .string(let name) = app, !candidates.contains(where: { $0.name == name }) else {
                return nil
            }
            return name
        }
        guard let first = gone.first else { return }
        let has =
            candidates.isEmpty
            ? "no app" : "these apps: \(ExistingNames.list(candidates.map(\.name), like: first))"
        throw refusal(
            "template: \(template.version) names app \(gone.joined(separator: ", ")), which service "
                + "\(service.name) does not have; it has \(has). Name the apps in the document, or save the "
                + "template again: \(see: SaveTemplate.self)")
    }
}
