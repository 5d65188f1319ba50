internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushWire

/// The rules for an app's settings, independent of the caller that sets them. All rules are checked before
/// anything is stored.
enum AppRules {
    static func connector(named text: String, platform: Platform) throws(OperationError) -> ConnectorName {
        guard let connector = ConnectorCatalogue.resolve(text),
            let entry = ConnectorCatalogue.entry(connector)
        else {
            let names = ConnectorCatalogue.names.map(\.rawValue).joined(separator: ", ")
            throw .refused("there is no connector \"\(text.prefix(128))\"; the connectors are \(names)")
        }
        guard entry.platforms.contains(platform) else {
            let platforms = entry.platforms.map(\.rawValue).joined(separator: ", ")
            let fitting = ConnectorCatalogue.entries.filter { $0.platforms.contains(platform) }.map(
                \.name.rawValue)
            throw .refused(
                "connector \(connector) reaches \(platforms), not \(platform.rawValue); connectors that "
                    + "reach it: "
                    + fitting.joined(separator: ", "))
        }
        return connector
    }

    /// Checks whether a connector can use a credential of this kind.
    static func check(
        _ kind: CredentialKind, for connector: ConnectorName
    ) throws(OperationError) {
        let allowed = ConnectorCatalogue.credentialKinds(for: connector)
        guard !allowed.contains(kind) else { return }
        if allowed == [.none] {
            throw .refused("connector \(connector) does not use a credential; omit it")
        }
        let options = allowed.map(\.options).joined(separator: ", or ")
        throw .refused(
            kind == .none
                ? "connector \(connector) needs a credential: \(options)"
                : "connector \(connector) cannot use \(kind.options); it needs \(options)")
    }

    /// Refuses a connector that cannot use the credential that an app has. An app that is switched to the
    /// stub connector, which uses no credential, keeps its credential so that it can be switched back.
    static func checkKept(_ identity: String, for connector: ConnectorName) throws(OperationError) {
        let allowed = ConnectorCatalogue.credentialKinds(for: connector)
        let present = CredentialKind(identity: identity)
        guard allowed != [.none], present.map(allowed.contains) != true else { return }
        let options = allowed.map { "\($0.options) (credential type \($0.documentType))" }
        let lack = present == CredentialKind.none ? "a credential" : "another credential"
        throw .refused(
            "connector \(connector) needs \(lack): give it in the same command, "
                + options.joined(separator: ", or "))
    }

    /// Returns the APNs topic: the given bundle id, or the topic in the certificate. FCM has no topic,
    /// because its tokens identify the app.
    static func bundleID(
        given: String?, credential: VerifiedCredential?, connector: ConnectorName, platform: Platform
    ) throws(OperationError) -> String {
        if let given { return given }
        if let topic = credential?.topics.first { return topic }
        if platform != .ios || ConnectorCatalogue.credentialKinds(for: connector) == [.none] { return "" }
        throw .refused("connector \(connector) needs --bundle-id")
    }

    /// Checks whether the credential, if it is a certificate, can be presented to the gateway of this
    /// environment.
    /// - Parameter file: The file that the caller gave with the credential; `nil` if the app already has the
    ///   credential.
    static func check(
        _ credential: VerifiedCredential?, of file: CredentialFile?, in environment: PushEnvironment
    ) throws(OperationError) {
        guard let only = credential?.onlyEnvironment, only != environment else { return }
        guard let file else {
            throw .refused(
                "the app's certificate is valid only for \(only.rawValue), but the app would be in "
                    + "\(environment.rawValue); give another certificate or a key in the same command, or "
                    + "use --environment \(only.rawValue)")
        }
        throw .refused(
            "\(file.name): the certificate is valid only for \(only.rawValue), but the app is in "
                + "\(environment.rawValue); give the app an 'Apple Push Services' certificate, or use "
                + "--environment "
                + only.rawValue)
    }

    /// If the certificate is for a single push type, removes that push type's topic ending from a bundle id.
    /// When a message is sent, the ending is appended to the bundle id, so a bundle id that already ends with
    /// it would result in a topic that ends with it twice.
    /// - Returns: The id, and a warning if it differs from the given id.
    static func bundleID(
        _ given: String, shownWith certificate: VerifiedCredential?
    ) -> (id: String, warnings: [String]) {
        guard let ending = certificate?.topicEnding, given.hasSuffix(ending),
            certificate?.topics.contains(given) == false
        else { return (given, []) }
        let id = String(given.dropLast(ending.count))
        guard id != given, !id.isEmpty else { return (given, []) }
        return (
            id,
            [
                "\(given) is the topic of a single push type, not a bundle id; the app's bundle id is \(id), "
                    + "and sending adds \(given.dropFirst(id.count))"
            ]
        )
    }

    static func checked(_ variables: [AppVariable], platform: Platform) throws(OperationError)
        -> [AppVariable]
    {
        for variable in variables { try NameRule.check(variable.name, "the variable's name") }
        if let name = repeated(variables.map(\.name)) {
            throw .refused("variable \(name) occurs more than once")
        }
        for variable in variables where variable.isOptional && variable.defaultValue != nil {
            throw .refused(
                "variable \(variable.name) is optional and has a default; omit one of the two, because a "
                    + "variable with a default always has a value")
        }
        for variable in variables where ReservedVariables.contains(variable.name, on: platform) {
            throw .refused(
                "variable \(variable.name) is reserved on \(platform.rawValue); choose another name")
        }
        return variables
    }

    static func checked(_ sounds: [AppSound]) throws(OperationError) -> [AppSound] {
        try check(sounds.map { ($0.internalName, $0.label) }, "sound")
        return sounds
    }

    static func checked(_ categories: [AppCategory]) throws(OperationError) -> [AppCategory] {
        try check(categories.map { ($0.internalName, $0.label) }, "category")
        return categories
    }

    private static func check(
        _ items: [(name: String, label: String)], _ kind: String
    ) throws(OperationError) {
        for item in items {
            try NameRule.check(item.name, "the \(kind)'s name")
            try NameRule.check(label: item.label, "the \(kind)'s label")
        }
        if let name = repeated(items.map(\.name)) {
            throw .refused("\(kind) \(name) occurs more than once")
        }
    }

    /// - Parameter present: The app's parameters, which may have names that were reserved later.
    static func checked(
        _ parameters: [ParameterDeclaration], besides present: [ParameterDeclaration] = []
    ) throws(OperationError) -> [ParameterDeclaration] {
        for parameter in parameters { try NameRule.check(parameter.name, "the parameter's name") }
        let reserved = parameters.first { parameter in
            CollectedFact(rawValue: parameter.name) != nil && !present.contains { $0.name == parameter.name }
        }
        if let reserved {
            throw .refused(
                "parameter \(reserved.name) has the name of a fact that the server collects; use the fact, "
                    + "or choose another name")
        }
        if let name = repeated(parameters.map(\.name)) {
            throw .refused("parameter \(name) occurs more than once")
        }
        return parameters
    }

    /// Returns warnings about settings that are probably unintended.
    static func warnings(
        of settings: AppSettings, credential: VerifiedCredential?, _ gateways: NMACConfiguration
    ) -> [String] {
        var warnings: [String] = []
        if let topics = credential?.topics, !topics.isEmpty, !topics.contains(settings.bundleID) {
            warnings.append(
                "the certificate is for \(topics.joined(separator: ", ")), not for \(settings.bundleID)")
        }
        let ofConnector = ConnectorCatalogue.entry(settings.connector)?.warning(settings, gateways)
        return warnings + (ofConnector.map { [$0] } ?? [])
    }

    private static func repeated(_ names: [String]) -> String? {
        var seen: Set<String> = []
        return names.first { !seen.insert($0).inserted }
    }
}

extension CredentialKind {
    /// The command-line options for a credential of this kind.
    fileprivate var options: String {
        switch self {
        case .apnsToken: "--p8 with --key-id and --team-id"
        case .apnsCertificate: "--p12 or --pem"
        case .fcmServiceAccount: "--service-account"
        case .fcmProjectKey: "--project-key-file"
        case .none: "none"
        }
    }

    /// The credential's type in the API (see ``CredentialFile``).
    fileprivate var documentType: String {
        switch self {
        case .apnsToken: "token"
        case .apnsCertificate: "pkcs12 or pem"
        case .fcmServiceAccount: "serviceAccount"
        case .fcmProjectKey: "projectKey"
        case .none: "none"
        }
    }
}
