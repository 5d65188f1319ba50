internal import PushXML

/// Written texts and defaults → settings, one key at a time.
struct SettingsAssembly {
    private(set) var settings = ServerConfiguration()
    private(set) var findings: [Finding] = []
    private let written: WrittenSettings
    /// Keys whose text was refused: what their value would be is not known.
    private var refused: Set<PartialKeyPath<ServerConfiguration>> = []

    init(_ written: WrittenSettings, _ substitutions: Substitutions) {
        self.written = written
        for (number, key) in ConfigurationKey.all.enumerated() {
            // An empty text means "not set", as everywhere in Campaign's file.
            let value = written.values[number].flatMap { $0.text.isEmpty ? nil : $0 }
            let text = value?.text ?? key.defaultText
            if text.isEmpty { continue }
            if let complaint = assign(key, text, substitutions) {
                refused.insert(key.property)
                findings.append(Finding(.error, at: value?.position, "\(key.path): \(complaint)"))
            }
        }
    }

    private mutating func assign(_ key: ConfigurationKey, _ text: String, _ substitutions: Substitutions)
        -> String?
    {
        let found = key.isSecret ? "a value that is not shown" : quoted(text)
        switch substitutions.expand(isPath(key) ? Substitutions.anchored(text) : text) {
        case .failure(let unknown):
            let name = key.isSecret ? "a substitution that is not shown" : quoted(unknown.text)
            return "found \(name), allowed substitutions: \(unknown.known)"
        case .success(let expanded):
            switch key.assign(expanded, &settings) {
            case nil: return nil
            case .notAllowed: return "found \(found), allowed: \(key.allowed)"
            case .because(let why): return "found \(found), but \(why)"
            }
        }
    }

    /// The provider comes before the server in the list of keys.
    private func isPath(_ key: ConfigurationKey) -> Bool {
        key.isPath
            && !(key.property == \ServerConfiguration.store.server && settings.store.provider == .postgreSQL)
    }

    /// Every key with its effective value.
    var rows: [ConfigurationRow] {
        ConfigurationKey.all.enumerated().map { number, key in
            ConfigurationRow(
                path: key.path, value: key.text(settings),
                line: written.values[number].flatMap { $0.text.isEmpty ? nil : $0.position.line })
        }
    }

    // MARK: For checks across keys

    /// Where a setting is written, be it with an empty text.
    func position(of property: PartialKeyPath<ServerConfiguration>) -> SourcePosition? {
        number(of: property).flatMap { written.values[$0]?.position }
    }

    func isWritten(_ property: PartialKeyPath<ServerConfiguration>) -> Bool {
        number(of: property).flatMap { written.values[$0] }?.text.isEmpty == false
    }

    /// Where the element of a setting stands.
    func elementPosition(of property: PartialKeyPath<ServerConfiguration>) -> SourcePosition? {
        number(of: property).flatMap { written.elements[ConfigurationKey.all[$0].element] }
    }

    func wasRefused(_ property: PartialKeyPath<ServerConfiguration>) -> Bool { refused.contains(property) }

    /// `mta/master/@minSpareServers`.
    func path(of property: PartialKeyPath<ServerConfiguration>) -> String {
        ConfigurationKey.path(of: property)
    }

    func allowed(_ property: PartialKeyPath<ServerConfiguration>) -> String {
        number(of: property).map { ConfigurationKey.all[$0].allowed } ?? ""
    }

    private func number(of property: PartialKeyPath<ServerConfiguration>) -> Int? {
        ConfigurationKey.all.firstIndex { $0.property == property }
    }
}
