internal import GatewayKit
internal import PushConnectors
internal import PushModel
internal import PushWire

/// The names by which notifications of a delivery can be replaced on devices, and the apps of these devices.
/// A name is not used if one of the content's languages has a different name.
struct ReplacedContent {
    private let delivery: DeliveryID
    /// The gateways of ``apps``, each with its rules and the names that it uses.
    private var gateways: [(section: String, rules: ContentRules, names: ReplacementNames)] = []

    /// The apps whose devices can replace the notifications that they show.
    private(set) var apps: [App] = []
    /// Warnings about apps for which nothing, or not everything, is replaced, one line each.
    private(set) var warnings: [String] = []

    /// - Parameter apps: The delivery's apps that still exist.
    init(of first: Delivery, _ apps: [App]) throws {
        delivery = first.id
        let content = try ConnectorCatalogue.contents.decode(first.order.contentJSON)
        for app in apps {
            let rules = PayloadCheck.rules(for: app)
            let names = rules.replacement?(content)
            guard let names, names.lack == nil else {
                let lack = names?.lack ?? "its connector does not support names for them"
                warnings.append(
                    """
                    app \(app.name): the messages on its devices cannot be replaced, so its devices are \
                    excluded: \(lack)
                    """
                )
                continue
            }
            self.apps.append(app)
            if let warning = names.warning { warnings.append("app \(app.name): \(warning)") }
            if let section = rules.section, !gateways.contains(where: { $0.section == section }) {
                gateways.append((section, rules, names))
            }
        }
    }

    /// The text of the refusal if there is no app whose devices can replace anything.
    var refusal: String {
        let keys = ConnectorCatalogue.entries.compactMap { $0.content.replacement?(Content()).keys }
        let known = keys.joined().reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return
            "delivery \(delivery) cannot be replaced on devices: for its apps, its content contains neither "
            + "\(known.joined(separator: " nor ")), and messages that a gateway has accepted cannot be "
            + "withdrawn; \(see: StopDelivery(id: delivery)) stops the messages that are not sent yet"
    }

    /// Returns a content with the names of the first delivery. The content must not contain other names.
    func named(
        _ content: JSONValue, refusal: (String) -> OperationError
    ) throws(OperationError) -> JSONValue {
        var content = content
        for (section, _, names) in gateways {
            for (key, value) in names.members {
                guard let filled = content.filled(section, key, .string(value)) else {
                    throw refusal(
                        "content.\(section).\(key): differs from that of delivery \(delivery), which this "
                            + "content is to replace; omit it")
                }
                content = filled
            }
        }
        return content
    }

    /// Checks that no language of the content has a different name.
    func check(_ content: Content, refusal: (String) -> OperationError) throws(OperationError) {
        for (_, rules, names) in gateways {
            guard rules.replacement?(content).differs(from: names) == true else { continue }
            throw refusal(
                "content.languages: a language has its own \(names.keys.joined(separator: " or ")) and would "
                    + "replace nothing; omit it")
        }
    }
}

extension JSONValue {
    /// Returns the value with an inner member set; `nil` if that member already has a different value. A
    /// value that is not an object is returned unchanged; it is refused later, when it is read.
    fileprivate func filled(_ outer: String, _ inner: String, _ value: JSONValue) -> JSONValue? {
        guard case .object(var members) = self else { return self }
        guard let place = members.firstIndex(where: { $0.key == outer }) else {
            return .object(
                members + [JSONMember(key: outer, value: .object([JSONMember(key: inner, value: value)]))])
        }
        guard case .object(let named) = members[place].value else { return self }
        if let present = named.first(where: { $0.key == inner }) {
            return present.value == value ? self : nil
        }
        members[place].value = .object(named + [JSONMember(key: inner, value: value)])
        return .object(members)
    }
}
