/// An attribute of serverConf.xml that the program uses: a row of ``ConfigurationSchema/keys``, from which
/// the reader, `config show` and the documentation are derived.
package struct ConfigurationKey: Sendable {
    package enum Provenance: String, Sendable {
        /// A Campaign setting, with Campaign's meaning and default.
        case campaign = "Campaign"
        case ours = "PushMTA"
    }

    /// The element that contains the attribute, such as `mta/child`.
    package fileprivate(set) var element = ""
    package let attribute: String
    /// The allowed values, for the documentation.
    package let kindName: String
    /// The default as it would be written in the file. The property in ``ServerConfiguration`` defines the
    /// default and gives the reason for it.
    package let defaultText: String
    /// The meaning of the setting in one sentence, for an operator.
    package let meaning: String
    package let provenance: Provenance
    let isPath: Bool
    let isSecret: Bool
    let allowed: String
    /// Whether a running service keeps the value that the setting had when the service was started.
    package fileprivate(set) var isReadAtStartOnly = false
    /// Reports whether the setting differs between two configurations. Secrets are compared but never shown.
    package let differs: @Sendable (ServerConfiguration, ServerConfiguration) -> Bool
    /// Copies the value from the first configuration to the second.
    let copy: @Sendable (ServerConfiguration, inout ServerConfiguration) -> Void
    /// Identifies the setting in code that examines several settings together.
    let property: any PartialKeyPath<ServerConfiguration> & Sendable
    /// Parses a text that is expanded and not empty, and stores the value in the settings. Returns the reason
    /// if the text is refused, and `nil` otherwise.
    let assign: @Sendable (String, inout ServerConfiguration) -> Refusal?
    /// Returns the value as it would be written in the file. Secrets are masked.
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

    /// The name of the setting in findings and in `config show`, such as `mta/child/@maxWaitingMessages`.
    package var path: String { "\(element)/@\(attribute)" }

    package var onlyAtStart: ConfigurationKey {
        var key = self
        key.isReadAtStartOnly = true
        return key
    }

    /// Returns the keys as attributes of the element with this path.
    package static func element(_ path: String, _ keys: [ConfigurationKey]) -> [ConfigurationKey] {
        keys.map { key in
            var key = key
            key.element = path
            return key
        }
    }
}
