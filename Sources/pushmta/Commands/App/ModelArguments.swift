internal import ArgumentParser
internal import PushModel
package import PushOperations

// The model's small vocabularies as the command line spells them.

extension Platform: ExpressibleByArgument {}
extension PushEnvironment: ExpressibleByArgument {}
extension MessageIDFormat: ExpressibleByArgument {}

extension AppView.Variable: ExpressibleByArgument {
    /// `NAME` or `NAME=DEFAULT`; the default may be empty and may hold further equal signs.
    package init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty else { return nil }
        self.init(name: String(name), default: parts.count > 1 ? String(parts[1]) : nil)
    }
}

extension AppView.Sound: ExpressibleByArgument {
    /// `INTERNAL=LABEL`.
    package init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        self.init(internalName: String(parts[0]), label: String(parts[1]))
    }
}
