internal import PushModel

/// The texts that an attribute may have and their conversion to values. Each kind has values of one type.
package struct SettingKind<Value: Sendable & Equatable>: Sendable {
    enum Reading {
        case value(Value)
        /// The text is not one of the allowed values.
        case wrong
        /// The text is known but is not acceptable, for this reason.
        case refused(String)
    }

    /// The text for the documentation column.
    let name: String
    /// The text that follows "allowed: …".
    let allowed: String
    /// Whether values are paths, which are anchored at the file's folder before they are read.
    var isPath = false
    /// Whether values, including invalid ones, must not be printed.
    var isSecret = false
    /// Parses a text. The text is never empty, because an empty text means "not set".
    let read: @Sendable (String) -> Reading
    /// Returns the text of a value as it would be written in the file.
    let write: @Sendable (Value) -> String
}

extension SettingKind where Value == Bool {
    package static var bool: Self {
        Self(name: "boolean", allowed: "true or false") { text in
            switch text {
            case "true": .value(true)
            case "false": .value(false)
            default: .wrong
            }
        } write: {
            $0 ? "true" : "false"
        }
    }
}

extension SettingKind where Value == String {
    /// Any text.
    package static var text: Self {
        Self(name: "text", allowed: "any text") {
            .value($0)
        } write: {
            $0
        }
    }

    /// A text that the given rule allows.
    /// - Parameters:
    ///   - name: The text for the documentation column.
    ///   - allowed: The text that follows "allowed: …".
    package static func text(
        _ name: String, allowed: String, where isAllowed: @escaping @Sendable (String) -> Bool
    ) -> Self {
        Self(name: name, allowed: allowed) { text in
            isAllowed(text) ? .value(text) : .wrong
        } write: {
            $0
        }
    }

    /// A host name or address, without scheme and port. The brackets that URLs put around IPv6 addresses are
    /// removed.
    package static var host: Self {
        Self(name: "host", allowed: "a host name or an IP address, without scheme, port or path") { text in
            HostName.isValid(text) ? .value(text.filter { $0 != "[" && $0 != "]" }) : .wrong
        } write: {
            $0
        }
    }

    /// A file or folder. The text must already be anchored: see ``Substitutions``.
    package static var path: Self {
        Self(name: "path", allowed: "a path", isPath: true) {
            .value(FilePath.tidied($0))
        } write: {
            $0
        }
    }
}

extension SettingKind where Value == String? {
    /// An optional name of a header field.
    static var optionalHeader: Self {
        Self(
            name: "header field",
            allowed: "the name of a header field without another meaning, such as X-Forwarded-User, or empty"
        ) { text in
            HeaderFieldName.canNameAPerson(text) ? .value(text) : .wrong
        } write: {
            $0 ?? ""
        }
    }

    /// An optional file.
    package static var optionalPath: Self {
        Self(name: "path", allowed: "a path, or empty", isPath: true) {
            .value(FilePath.tidied($0))
        } write: {
            $0 ?? ""
        }
    }
}

extension SettingKind where Value == PublicURL? {
    /// The address of a server, as other machines use it.
    package static var optionalURL: Self {
        Self(
            name: "URL",
            allowed: "a URL with https or http, a host, and optionally a port and a path, such as "
                + "https://push.example.com"
        ) { text in
            PublicURL(text).map { .value($0) } ?? .wrong
        } write: {
            $0?.text ?? ""
        }
    }
}

extension SettingKind where Value == IssuerURL? {
    /// The URL of a provider, which is kept as it is written.
    static var optionalIssuer: Self {
        Self(
            name: "URL",
            allowed: "a URL with https, a host, and optionally a port and a path, such as "
                + "https://login.example.com; http is allowed for a host of this machine"
        ) { text in
            IssuerURL(text).map { .value($0) } ?? .wrong
        } write: {
            $0?.text ?? ""
        }
    }
}

extension SettingKind where Value == [String] {
    /// Patterns of host names, separated by commas or semicolons.
    package static var hostPatterns: Self {
        Self(
            name: "host patterns",
            allowed: "host names separated by commas or semicolons, with the wildcards * and ?"
        ) {
            text in
            let patterns = text.split { $0 == "," || $0 == ";" }.map { $0.filter { !$0.isWhitespace } }.filter
            {
                !$0.isEmpty
            }
            let isSound = patterns.allSatisfy { $0.utf8.allSatisfy { byte in !"/\\@\"".utf8.contains(byte) } }
            return isSound && !patterns.isEmpty ? .value(patterns) : .wrong
        } write: {
            $0.joined(separator: ",")
        }
    }
}

extension SettingKind where Value == [IPNetwork] {
    /// Addresses and networks, separated by commas or semicolons.
    static var networks: Self {
        Self(
            name: "addresses",
            allowed: "IP addresses or networks such as 10.0.0.0/8, separated by commas or semicolons"
        ) { text in
            let parts = text.split { $0 == "," || $0 == ";" }.map { $0.filter { !$0.isWhitespace } }
            let networks = parts.filter { !$0.isEmpty }.map { IPNetwork($0) }
            return networks.contains(nil) || networks.isEmpty ? .wrong : .value(networks.compactMap(\.self))
        } write: {
            $0.map(\.text).joined(separator: ",")
        }
    }
}

extension SettingKind where Value == Secret {
    package static var secret: Self {
        Self(name: "secret", allowed: "any text", isSecret: true) {
            .value(Secret($0))
        } write: {
            $0.description
        }
    }
}

extension SettingKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of several words.
    package static var word: Self {
        let words = Value.allCases.map(\.rawValue)
        return Self(name: words.joined(separator: " \\| "), allowed: words.joined(separator: " or ")) {
            text in
            Value.allCases.first { $0.rawValue == text }.map { .value($0) } ?? .wrong
        } write: {
            $0.rawValue
        }
    }
}
