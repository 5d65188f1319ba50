/// Which elements and attributes there are, ours, the gateways' and Campaign's, looked up by path.
package struct ConfigurationSchema: Equatable, Sendable {
    static let root = "serverConf"
    /// The one element of the used ones that may stand several times: the source of this name is the store.
    static let dataSource = (path: "shared/dataStore/dataSource", name: "default", nameAttribute: "name")

    /// Every key, in the order of the documentation.
    package let keys: [ConfigurationKey]
    let gateways: [GatewayDeclaration]
    private let keyNumbers: [String: Int]
    private let usedElements: Set<String>

    /// - Parameter gateways: in the order in which their keys are documented.
    package init(gateways: [GatewayDeclaration]) {
        self.gateways = gateways
        keys = ConfigurationKey.beforeGateways + gateways.flatMap(\.keys) + ConfigurationKey.afterGateways
        keyNumbers = Dictionary(
            keys.enumerated().map { ($0.element.path, $0.offset) }, uniquingKeysWith: { first, _ in first })
        var elements: Set<String> = [""]
        for key in keys {
            var path = ""
            for step in key.element.split(separator: "/") {
                path += path.isEmpty ? step : "/" + step
                elements.insert(path)
            }
        }
        usedElements = elements
    }

    /// A key is what its path says.
    package static func == (one: Self, other: Self) -> Bool {
        one.keys.map(\.path) == other.keys.map(\.path)
    }

    /// The path of the key that sets a property; empty: none does.
    package func path(of property: PartialKeyPath<ServerConfiguration>) -> String {
        keys.first { $0.property == property }?.path ?? ""
    }

    /// Whether a setting may have this value.
    package func allows(_ value: Int, for property: PartialKeyPath<ServerConfiguration>) -> Bool {
        var settings = ServerConfiguration()
        guard let key = keys.first(where: { $0.property == property }) else { return false }
        if case nil = key.assign("\(value)", &settings) { return true }
        return false
    }

    /// Elements that hold used settings, or elements that do.
    func isUsed(_ element: String) -> Bool { usedElements.contains(element) }

    func key(_ attribute: String, of element: String) -> Int? { keyNumbers["\(element)/@\(attribute)"] }

    /// Names of attributes that may stand in an element.
    func attributes(of element: String) -> [String] {
        keys.filter { $0.element == element }.map(\.attribute)
            + (CampaignElement.byPath[element]?.attributes.map { String($0) }.sorted() ?? [])
    }

    /// Names of elements that may stand in an element.
    func children(of element: String) -> [String] {
        let prefix = element.isEmpty ? "" : element + "/"
        return (usedElements.sorted() + CampaignElement.all.map(\.path)).filter {
            $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains("/") && $0.count > prefix.count
        }.map { String($0.dropFirst(prefix.count)) }
    }

    /// The element in which a used attribute of this name does stand, if there is exactly one.
    func onlyElement(withAttribute attribute: String) -> String? {
        let elements = keys.filter { $0.attribute == attribute }.map(\.element)
        return elements.count == 1 ? elements.first : nil
    }

    /// The full path of a used element of this name, if there is exactly one.
    func onlyElement(named name: String) -> String? {
        let paths = usedElements.filter { $0.split(separator: "/").last ?? "" == name }
        return paths.count == 1 ? paths.first : nil
    }
}
