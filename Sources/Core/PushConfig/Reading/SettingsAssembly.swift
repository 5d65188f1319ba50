package import PushModel
internal import PushXML

/// Converts written texts and defaults to settings, one key at a time.
package struct SettingsAssembly {
    package private(set) var settings = ServerConfiguration()
    private(set) var findings: [Finding] = []
    private let written: WrittenSettings
    private let schema: ConfigurationSchema
    /// Keys whose text was refused, so that their value is unknown.
    private var refused: Set<PartialKeyPath<ServerConfiguration>> = []

    init(_ written: WrittenSettings, _ substitutions: Substitutions) {
        self.written = written
        schema = written.schema
        for (number, key) in schema.keys.enumerated() {
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
        let found = key.isSecret ? "a value (not shown)" : quoted(text)
        switch substitutions.expand(isPath(key) ? Substitutions.anchored(text) : text) {
        case .failure(let unknown):
            let name = key.isSecret ? "a substitution (not shown)" : quoted(unknown.text)
            return "found \(name), allowed substitutions: \(unknown.known)"
        case .success(let expanded):
            switch key.assign(expanded, &settings) {
            case nil: return nil
            case .notAllowed: return "found \(found), allowed: \(key.allowed)"
            case .because(let why): return "found \(found), but \(why)"
            }
        }
    }

    /// Reports whether the text of a key is a path. For the server, this depends on the provider, which is
    /// already known because it precedes the server in the list of keys.
    private func isPath(_ key: ConfigurationKey) -> Bool {
        key.isPath
            && !(key.property == \ServerConfiguration.store.server && settings.store.provider == .postgreSQL)
    }

    /// Every key with its effective value.
    var rows: [ConfigurationRow] {
        schema.keys.enumerated().map { number, key in
            ConfigurationRow(
                path: key.path, value: key.text(settings),
                line: written.values[number].flatMap { $0.text.isEmpty ? nil : $0.position.line })
        }
    }

    // MARK: For checks across keys

    /// Returns the position at which a setting is written, even if its text is empty.
    func position(of property: PartialKeyPath<ServerConfiguration>) -> SourcePosition? {
        number(of: property).flatMap { written.values[$0]?.position }
    }

    func isWritten(_ property: PartialKeyPath<ServerConfiguration>) -> Bool {
        number(of: property).flatMap { written.values[$0] }?.text.isEmpty == false
    }

    /// Returns the position of the element that contains a setting.
    func elementPosition(of property: PartialKeyPath<ServerConfiguration>) -> SourcePosition? {
        number(of: property).flatMap { written.elements[schema.keys[$0].element] }
    }

    /// Reports whether the file contains the element of a setting.
    package func hasElement(of property: PartialKeyPath<ServerConfiguration>) -> Bool {
        elementPosition(of: property) != nil
    }

    /// Returns a note about several settings, positioned at the first of them that is written.
    /// - Parameters:
    ///   - element: The setting whose element provides the position if none of the settings is written. If
    ///     `element` is also `nil`, the note is about the file as a whole.
    ///   - connectors: The connectors whose apps the note concerns.
    package func note(
        _ text: String, at properties: [PartialKeyPath<ServerConfiguration>],
        orElementOf element: PartialKeyPath<ServerConfiguration>? = nil, for connectors: [ConnectorName]
    ) -> Finding {
        let place = properties.first { isWritten($0) }.flatMap { position(of: $0) }
        var note = Finding(.note, at: place ?? element.flatMap { elementPosition(of: $0) }, text)
        note.connectors = connectors
        return note
    }

    func wasRefused(_ property: PartialKeyPath<ServerConfiguration>) -> Bool { refused.contains(property) }

    /// Returns the path of a setting, such as `mta/master/@minSpareServers`.
    package func path(of property: PartialKeyPath<ServerConfiguration>) -> String {
        schema.path(of: property)
    }

    func allowed(_ property: PartialKeyPath<ServerConfiguration>) -> String {
        number(of: property).map { schema.keys[$0].allowed } ?? ""
    }

    private func number(of property: PartialKeyPath<ServerConfiguration>) -> Int? {
        schema.keys.firstIndex { $0.property == property }
    }
}
