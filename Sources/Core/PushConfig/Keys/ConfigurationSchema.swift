/// Which elements and attributes there are, ours and Campaign's, looked up by path.
enum ConfigurationSchema {
    static let root = "serverConf"
    /// The one element of the used ones that may stand several times: the source of this name is the store.
    static let dataSource = (path: "shared/dataStore/dataSource", name: "default", nameAttribute: "name")

    /// Elements that hold used settings, or elements that do.
    static func isUsed(_ element: String) -> Bool { usedElements.contains(element) }

    static func key(_ attribute: String, of element: String) -> Int? {
        keyNumbers["\(element)/@\(attribute)"]
    }

    /// Names of attributes that may stand in an element.
    static func attributes(of element: String) -> [String] {
        ConfigurationKey.all.filter { $0.element == element }.map(\.attribute)
            + (CampaignElement.byPath[element]?.attributes.map { String($0) }.sorted() ?? [])
    }

    /// Names of elements that may stand in an element.
    static func children(of element: String) -> [String] {
        let prefix = element.isEmpty ? "" : element + "/"
        return (usedElements.sorted() + CampaignElement.all.map(\.path)).filter {
            $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains("/") && $0.count > prefix.count
        }.map { String($0.dropFirst(prefix.count)) }
    }

    /// The element in which a used attribute of this name does stand, if there is exactly one.
    static func onlyElement(withAttribute attribute: String) -> String? {
        let elements = ConfigurationKey.all.filter { $0.attribute == attribute }.map(\.element)
        return elements.count == 1 ? elements.first : nil
    }

    /// The full path of a used element of this name, if there is exactly one.
    static func onlyElement(named name: String) -> String? {
        let paths = usedElements.filter { $0.split(separator: "/").last ?? "" == name }
        return paths.count == 1 ? paths.first : nil
    }

    private static let keyNumbers: [String: Int] = Dictionary(
        ConfigurationKey.all.enumerated().map { ($0.element.path, $0.offset) },
        uniquingKeysWith: { first, _ in first })

    private static let usedElements: Set<String> = {
        var elements: Set<String> = [""]
        for key in ConfigurationKey.all {
            var path = ""
            for step in key.element.split(separator: "/") {
                path += path.isEmpty ? step : "/" + step
                elements.insert(path)
            }
        }
        return elements
    }()
}
