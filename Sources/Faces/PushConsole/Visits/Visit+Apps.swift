internal import PushAPI
internal import PushWire
internal import Synchronization

/// Requests of screens about apps and their subscribers.
extension Visit {
    /// Carries out a use case whose members are given in the API's spelling.
    /// - Parameters:
    ///   - query: The values in the query; those that are `nil` are absent.
    ///   - body: The members of the body; `nil` if there is no body.
    func ask<Use: UseCase>(
        _ type: Use.Type, _ names: [String: String] = [:], query: [String: String?] = [:],
        body: JSONValue? = nil
    ) throws -> Use.Answer {
        try carryOut(
            Use.request(
                names: names, query: query.compactMapValues(\.self), body: body?.documentBytes ?? []))
    }

    /// Whether the person may see the data of a service.
    func mayUse(service: String) -> Bool {
        session.services.isEmpty || session.services.contains(service)
    }

    /// The services that the person may see, by name.
    func services() throws -> [ServiceView] {
        try knownServices.items(for: self) {
            try carryOut(ListServices()).filter { mayUse(service: $0.name) }
        }
    }

    /// The apps that the person may see, by name.
    func apps() throws -> [AppView] {
        try knownApps.items(for: self) { try carryOut(ListApps()).filter { mayUse(service: $0.service) } }
    }

    /// Returns the devices that the person may see.
    /// - Parameter apps: The apps that the person may see.
    func allowed(_ devices: [SubscriberView], of apps: [AppView]) -> [SubscriberView] {
        guard !session.services.isEmpty else { return devices }
        let names = Set(apps.map(\.name))
        return devices.filter { names.contains($0.app) }
    }

    /// Returns the app whose name is in the path.
    /// - Throws: ``Refusal/notFound`` if there is no such app, or if the person may not see it.
    func app() throws -> AppView {
        let name = name("app")
        guard let app = try apps().first(where: { $0.name == name }) else { throw Refusal.notFound }
        return app
    }
}

/// A list that a page has read. Several parts of a page need the services or apps, and there can be
/// thousands. A form can change them, so a request that submits one reads them each time.
final class ListOfVisit<Item: Sendable>: Sendable {
    private let known = Mutex<[Item]?>(nil)

    func items(for visit: Visit, _ list: () throws -> [Item]) rethrows -> [Item] {
        guard visit.request.method == .get else { return try list() }
        if let items = known.withLock(\.self) { return items }
        let items = try list()
        known.withLock { $0 = items }
        return items
    }
}

extension AppView {
    /// The app's name for people.
    var displayName: String { label ?? name }
    var path: ConsolePath { "/apps/of/\(name)" }
    var link: HTML { "<a href=\"\(path)\">\(name: displayName)</a>" }
}

extension Fields {
    /// The number of choices above which a field is a text with suggestions instead of a list.
    private static let maxListed = 200
    private static let maxChecks = 1_000

    /// A field for the name of one of these objects.
    /// - Parameter any: The label of the choice of none; `nil` if one must be chosen.
    func name(
        _ label: Phrase, _ name: String, of choices: [(name: String, label: String)], value: String?,
        any: Phrase? = nil, hint: Phrase? = nil
    ) -> HTML {
        guard choices.count <= Self.maxListed else {
            return text(
                label, name, value: value ?? "", hint: hint, autocomplete: "off", isRequired: any == nil)
        }
        let items = choices.map { choice in
            let text = choice.label == choice.name ? choice.name : "\(choice.label) (\(choice.name))"
            return Choice(choice.name, HTML(text))
        }
        let none = any.map { [Choice("", $0)] } ?? []
        return select(label, name, none + items, value: value, hint: hint)
    }

    func app(
        _ apps: [AppView], value: String?, any: Phrase? = nil, hint: Phrase? = nil
    ) -> HTML {
        name(.appField, "app", of: apps.map { ($0.name, $0.displayName) }, value: value, any: any, hint: hint)
    }

    func service(_ services: [ServiceView], value: String?, any: Phrase? = nil) -> HTML {
        name(.serviceField, "service", of: services.map { ($0.name, $0.label) }, value: value, any: any)
    }

    /// The services to which a person or a token is bound. Nothing if there is no service.
    func services(_ services: [ServiceView], values: Set<String>, hint: Phrase) -> HTML {
        guard !services.isEmpty else { return .empty }
        // The chosen ones are always part of the form: without them, all services could be used.
        let shown =
            services.filter { values.contains($0.name) }
            + services.filter { !values.contains($0.name) }.prefix(Self.maxChecks)
        let choices = shown.map { Choice($0.name, "\(name: $0.label)") }
        return checks(.servicesField, "services", choices, values: values, hint: hint)
    }
}

/// A part of a list that is in memory, and the links to the other parts.
struct ListPart<Item> {
    static var size: Int { 50 }
    let items: [Item]
    private let from: Int
    private let next: Int?

    /// The part that begins where the query's cursor states.
    init(of all: [Item], _ visit: Visit) {
        from = min(Int(clamping: visit.cursorNumber ?? 0), all.count)
        items = Array(all[from...].prefix(Self.size))
        next = from + Self.size < all.count ? from + Self.size : nil
    }

    /// - Parameter path: The list's address with its filters.
    func pager(_ path: ConsolePath) -> HTML {
        HTML.pager(path, cursor: from > 0 ? "\(from)" : nil, next: next.map { "\($0)" })
    }
}

extension HTML {
    /// A text that another part of the product wrote in English.
    static func inEnglish(_ text: String) -> HTML { "<span lang=\"en\">\(text)</span>" }

    /// Buttons at the end of a form.
    static func formFoot(_ label: Phrase, back: ConsolePath? = nil, backLabel: Phrase = .backUnchanged)
        -> HTML
    {
        let link: HTML? = back.map { "<a class=\"button\" href=\"\($0)\">\(backLabel)</a>" }
        return "<div class=\"row\">\(link)<button class=\"button button-primary\">\(label)</button></div>"
    }
}

extension Phrase {
    static let appField = Phrase("App", "App")
    static let serviceField = Phrase("Service", "Dienst")
    fileprivate static let servicesField = Phrase("Services", "Dienste")
}
