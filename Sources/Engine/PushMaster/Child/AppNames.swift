internal import PushModel

/// Names of apps for a log line.
package enum AppNames {
    private static let maxNames = 3
    private static let maxNameLength = 80

    /// Returns `app shop`, `apps shop, news and travel`, `apps shop, news, travel and 4 more`, or an empty
    /// string if there are none.
    package static func brief(_ names: [String]) -> String {
        let names = names.sorted()
        let shown = names.prefix(maxNames).map { $0.printable(atMost: maxNameLength) }
        guard let last = shown.last else { return "" }
        if names.count == 1 { return "app \(last)" }
        if names.count > maxNames {
            return "apps \(shown.joined(separator: ", ")) and \(names.count - maxNames) more"
        }
        return "apps \(shown.dropLast().joined(separator: ", ")) and \(last)"
    }
}
