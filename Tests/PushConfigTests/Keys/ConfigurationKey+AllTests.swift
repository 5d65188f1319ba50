import PushConfig
import PushConnectors
import Testing

/// Tests that use the reader to read each row of the table.
@Suite struct ConfigurationKeyAllTests {
    @Test func `no key occurs twice`() {
        #expect(
            Set(ConnectorCatalogue.settings.keys.map(\.path)).count == ConnectorCatalogue.settings.keys.count)
    }

    @Test(
        arguments: ConnectorCatalogue.settings.keys.filter {
            !["path", "text", "secret"].contains($0.kindName)
        })
    func `an invalid value is an error at the value's position, with the found and the allowed values`(
        key: ConfigurationKey
    ) throws {
        let marked = MarkedDocument(document(key.element, "\(companions(key)) \(key.attribute)=\"‸a/b\""))
        let error = try #require(refusal(ofBytes: marked.bytes))
        let mine = error.findings.filter { $0.line == marked.line && $0.column == marked.column }
        #expect(mine.count == 1 && mine.first?.severity == .error)
        #expect(mine.first?.message.hasPrefix("\(key.path): found \"a/b\", allowed: ") == true)
    }

    @Test(arguments: ConnectorCatalogue.settings.keys)
    func `an unknown substitution is an error at the value's position`(key: ConfigurationKey) throws {
        let marked = MarkedDocument(document(key.element, "\(companions(key)) \(key.attribute)=\"‸$(NOPE)\""))
        let error = try #require(refusal(ofBytes: marked.bytes))
        #expect(
            error.findings.first { $0.line == marked.line && $0.column == marked.column }?.severity == .error)
        #expect(error.description.contains("\(key.path): found "))
        #expect(error.description.contains("$(XTK_INSTALL_DIR), $(INSTANCE_NAME), $(PRODUCT_VERSION)"))
    }

    @Test(arguments: ConnectorCatalogue.settings.keys)
    func `a default can be stated explicitly, and an empty value means the default`(key: ConfigurationKey)
        throws
    {
        let bare = try parsed("<serverConf/>").get()
        let companions = companions(key)
        let written = try parsed(
            document(key.element, "\(companions) \(key.attribute)=\"\(key.defaultText)\"")
        ).get()
        #expect(written.settings == bare.settings)
        guard key.path != "shared/dataStore/dataSource/dbcnx/@provider" else { return }
        let empty = try parsed(document(key.element, "\(companions) \(key.attribute)=\"\"")).get()
        #expect(empty.settings == bare.settings)
        #expect(empty.origins.first { $0.path == key.path }?.line == nil)
    }

    @Test(arguments: ConnectorCatalogue.settings.keys)
    func `a key sets only its own property`(key: ConfigurationKey) throws {
        let contradictory = [
            "shared/dataStore/dataSource/dbcnx/@provider", "nmac/@useHTTPProxy", "web/@certificateChain",
            "web/@privateKey", "web/@personHeader", "web/openId/@issuer",
        ]
        guard !contradictory.contains(key.path), let other = otherValue(key) else { return }
        let bare = try parsed("<serverConf/>").get().origins
        let changed = try parsed(document(key.element, "\(companions(key)) \(key.attribute)=\"\(other)\""))
            .get()
            .origins
        #expect(zip(bare, changed).filter { $0.value != $1.value }.map(\.1.path) == [key.path])
    }

    /// Returns the attributes that an element requires.
    private func companions(_ key: ConfigurationKey) -> String {
        key.element.hasSuffix("dbcnx") && key.attribute != "provider" ? "provider=\"SQLite\"" : ""
    }

    /// Returns an allowed value that is not the default.
    private func otherValue(_ key: ConfigurationKey) -> String? {
        switch key.kindName {
        case "boolean": return key.defaultText == "true" ? "false" : "true"
        case "host", "host patterns": return "h.example"
        case "URL": return "https://h.example/push"
        case "path", "text", "secret": return "other"
        case "time of day": return "05:30:00"
        case "addresses": return "192.0.2.7,10.0.0.0/8"
        case "ratio, greater than 0, up to 1": return "0.25"
        case "uuid \\| integer": return "uuid"
        case "preferred_username \\| email \\| sub": return "email"
        case "scopes": return "openid"
        case "SQLite": return nil
        default:
            if let number = Int(key.defaultText) {
                // The default may be the minimum.
                if key.kindName.hasPrefix("\(number)…") { return "\(number + 1)" }
                return number > 0 ? "\(number - 1)" == "0" ? "2" : "\(number - 1)" : "1"
            }
            return key.defaultText.isEmpty ? "81" : "77"
        }
    }
}
