internal import ArgumentParser
internal import PushModel

// The model's small vocabularies as the command line spells them.

extension Platform: ExpressibleByArgument {}
extension PushEnvironment: ExpressibleByArgument {}
extension MessageIDFormat: ExpressibleByArgument {
    package init?(argument: String) {
        guard let format = Self.allCases.first(where: { $0.rawValue == argument }) else { return nil }
        self = format
    }
}

extension AppVariable: ExpressibleByArgument {
    /// `NAME` or `NAME=DEFAULT`; the default may be empty and may hold further equal signs.
    package init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty else { return nil }
        self.init(name: String(name), defaultValue: parts.count > 1 ? String(parts[1]) : nil)
    }
}

extension AppSound: ExpressibleByArgument {
    /// `INTERNAL=LABEL`.
    package init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        self.init(internalName: String(parts[0]), label: String(parts[1]))
    }
}

extension ParameterDeclaration: ExpressibleByArgument {
    /// `NAME` or `NAME:KIND`; a name may hold colons where a kind follows the last one.
    package init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":") else {
            self.init(name: argument, kind: .text)
            return
        }
        let name = String(argument[..<colon])
        guard !name.isEmpty,
            let kind = ParameterDeclaration.Kind(rawValue: String(argument[argument.index(after: colon)...]))
        else { return nil }
        self.init(name: name, kind: kind)
    }
}
