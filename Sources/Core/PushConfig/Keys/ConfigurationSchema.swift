/// The elements and attributes that PushMTA, the gateways and Campaign define, looked up by path.
package struct ConfigurationSchema: Equatable, Sendable {
    static let root = "serverConf"
    /// The only used element that may occur several times. The data source with this name is the store.
    static let dataSource = (path: "shared/dataStore/dataSource", name: "default", nameAttribute: "name")

    /// Every key, in documentation order.
    package let keys: [ConfigurationKey]
    let gateways: [GatewayDeclaration]
    private let keyNumbers: [String: Int]
    private let usedElements: Set<String>

    /// - Parameter gateways: The gateways in the order in which their keys are documented.
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

    /// Compares two schemas by the paths of their keys.
    package static func == (one: Self, other: Self) -> Bool {
        one.keys.map(\.path) == other.keys.map(\.path)
    }

    /// Returns the path of the key that sets a property, or an empty string if no key sets it.
    package func path(of property: PartialKeyPath<ServerConfiguration>) -> String {
        keys.first { $0.property == property }?.path ?? ""
    }

    /// Reports whether a setting may have this value.
    package func allows(_ value: Int, for property: PartialKeyPath<ServerConfiguration>) -> Bool {
        var settings = ServerConfiguration()
        guard let key = keys.first(where: { $0.property == property }) else { return false }
        if case nil = key.assign("\(value)", &settings) { return true }
        return false
    }

    /// Reports whether PushMTA uses settings of an element or of an element that it contains.
    func isUsed(_ element: String) -> Bool { usedElements.contains(element) }

    func key(_ attribute: String, of element: String) -> Int? { keyNumbers["\(element)/@\(attribute)"] }

    /// Returns the names of the attributes that an element may have.
    func attributes(of element: String) -> [String] {
        keys.filter { $0.element == element }.map(\.attribute)
            + (CampaignElement.byPath[element]?.attributes.map { String($0) }.sorted() ?? [])
    }

    /// Returns the names of the elements that an element may contain.
    func children(of element: String) -> [String] {
        let prefix = element.isEmpty ? "" : element + "/"
        return (usedElements.sorted() + CampaignElement.all.map(\.path)).filter {
            $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains("/") && $0.count > prefix.count
        }.map { String($0.dropFirst(prefix.count)) }
    }

    /// Returns the element that has a used attribute with this name, if there is exactly one such element.
    func onlyElement(withAttribute attribute: String) -> String? {
        let elements = keys.filter { $0.attribute == attribute }.map(\.element)
        return elements.count == 1 ? elements.first : nil
    }

    /// Returns the full path of the used element with this name, if there is exactly one such element.
    func onlyElement(named name: String) -> String? {
        let paths = usedElements.filter { $0.split(separator: "/").last ?? "" == name }
        return paths.count == 1 ? paths.first : nil
    }
}
