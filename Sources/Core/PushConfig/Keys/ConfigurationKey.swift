/// One attribute of serverConf.xml that the program uses: a row of ``ConfigurationSchema/keys``, from which the
/// reader, `config show` and the documentation work.
package struct ConfigurationKey: Sendable {
    package enum Provenance: String, Sendable {
        /// A setting that Campaign has, with its meaning and default.
        case campaign = "Campaign"
        case ours = "PushMTA"
    }

    /// Where the attribute stands: `mta/child`.
    package fileprivate(set) var element = ""
    package let attribute: String
    /// What may be written: for the documentation.
    package let kindName: String
    /// As it would be written; the property in ``ServerConfiguration`` says it and why.
    package let defaultText: String
    /// For an operator, in a sentence.
    package let meaning: String
    package let provenance: Provenance
    let isPath: Bool
    let isSecret: Bool
    let allowed: String
    /// A service that runs keeps the value that it was started with.
    package fileprivate(set) var isReadAtStartOnly = false
    /// Whether two files mean different things by it; secrets are compared and never shown.
    package let differs: @Sendable (ServerConfiguration, ServerConfiguration) -> Bool
    /// Takes the value of the first for the second.
    let copy: @Sendable (ServerConfiguration, inout ServerConfiguration) -> Void
    /// Names the setting in code that looks at several together.
    let property: any PartialKeyPath<ServerConfiguration> & Sendable
    /// Puts an expanded, non-empty text into the settings, or tells why not.
    let assign: @Sendable (String, inout ServerConfiguration) -> Refusal?
    /// As it would be written, secrets too.
    package let text: @Sendable (ServerConfiguration) -> String

    enum Refusal {
        case notAllowed
        case because(String)
    }

    package init<Value: Equatable>(
        _ attribute: String, _ property: any WritableKeyPath<ServerConfiguration, Value> & Sendable,
        _ kind: SettingKind<Value>,
        _ provenance: Provenance, _ meaning: String
    ) {
        self.attribute = attribute
        self.property = property
        self.provenance = provenance
        self.meaning = meaning
        kindName = kind.name
        allowed = kind.allowed
        isPath = kind.isPath
        isSecret = kind.isSecret
        defaultText = kind.write(ServerConfiguration()[keyPath: property])
        text = { kind.write($0[keyPath: property]) }
        copy = { $1[keyPath: property] = $0[keyPath: property] }
        differs = { $0[keyPath: property] != $1[keyPath: property] }
        assign = { text, settings in
            switch kind.read(text) {
            case .value(let value):
                settings[keyPath: property] = value
                return nil
            case .wrong: return .notAllowed
            case .refused(let why): return .because(why)
            }
        }
    }

    /// As findings and `config show` name it: `mta/child/@maxWaitingMessages`.
    package var path: String { "\(element)/@\(attribute)" }

    package var onlyAtStart: ConfigurationKey {
        var key = self
        key.isReadAtStartOnly = true
        return key
    }

    /// Places keys in their element.
    package static func element(_ path: String, _ keys: [ConfigurationKey]) -> [ConfigurationKey] {
        keys.map { key in
            var key = key
            key.element = path
            return key
        }
    }
}
