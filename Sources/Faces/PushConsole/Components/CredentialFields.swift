internal import PushAPI
internal import PushModel

/// The fields of a form for an app's connection to its gateway. The credential comes from uploaded files.
struct CredentialFields {
    static let names: Set<String> = [
        "connector", "environment", "bundleId", "credential", "p8", "keyId", "teamId", "p12",
        FormNames.certificatePassword, "serviceAccount", "projectKey",
    ]

    private let platform: Platform
    private let choices: [ConnectorChoice]

    init(_ platform: Platform) {
        self.platform = platform
        choices = ConnectorChoice.all(for: platform)
    }

    private func needs(_ type: String) -> Bool { choices.contains { $0.credentialTypes.contains(type) } }

    /// - Parameters:
    ///   - present: The connector and the environment that the app has; `nil` for a new app.
    ///   - form: What the person typed, if the form is shown again.
    func html(
        _ fields: Fields, _ form: FormFields, present: (connector: String, environment: String)? = nil
    ) -> HTML {
        let connectors = choices.map { choice -> Fields.Choice in
            let name = choice.connector.rawValue
            return .init(name, "\(name)\(choice.connector == .stub ? " – \(Phrase.stub)" as HTML : nil)")
        }
        let environments = [PushEnvironment.production, .sandbox].map {
            Fields.Choice($0.rawValue, $0.title)
        }
        let connector = form.given("connector") ?? present?.connector ?? choices.first?.connector.rawValue
        let environment = form.given("environment") ?? present?.environment
        let environmentField: HTML? =
            platform == .ios
            ? fields.select(.environment, "environment", environments, value: environment) : nil
        return """
            \(fields.select(.connector, "connector", connectors, value: connector, hint: .connectorHint))\
            \(environmentField)\(apple(fields, form, isNew: present == nil))\(google(fields))
            """
    }

    private func apple(_ fields: Fields, _ form: FormFields, isNew: Bool) -> HTML {
        guard needs("token") || needs("pkcs12") else { return .empty }
        let certificate: HTML = """
            \(fields.file(.certificate, "p12", accept: ".p12,.pfx,.pem", hint: .certificateHint))\
            \(fields.text(
                .password, FormNames.certificatePassword, kind: "password", autocomplete: "off"))
            """
        return """
            \(fields.text(
                .bundleId, "bundleId", value: form.exact("bundleId") ?? "",
                hint: isNew ? .bundleHint : .keepHint, autocomplete: "off"))\
            \(fields.file(.key, "p8", accept: ".p8", hint: .keyHint))\
            <div class="pair">\
            \(fields.text(.keyId, "keyId", value: form.exact("keyId") ?? "", autocomplete: "off"))\
            \(fields.text(.teamId, "teamId", value: form.exact("teamId") ?? "", autocomplete: "off"))</div>\
            \(HTML.details(.certificateInstead, id: "certificate", certificate))
            """
    }

    private func google(_ fields: Fields) -> HTML {
        var html = HTML.empty
        if needs("serviceAccount") {
            html += fields.file(
                .serviceAccount, "serviceAccount", accept: ".json,application/json", hint: .serviceHint)
        }
        if needs("projectKey") {
            let field = fields.file(.projectKey, "projectKey", accept: ".txt", hint: .projectHint)
            html += HTML.details(.projectKeyInstead, id: "project-key", field)
        }
        return html
    }

    /// Returns the credential in the uploaded files; `nil` if there is none.
    static func credential(in request: ConsoleRequest) -> CredentialFile? {
        let form = request.form
        func file(_ field: String) -> UploadedFile? { request.files.first { $0.field == field } }
        if let key = file("p8") {
            return CredentialFile(
                name: key.shownName,
                contents: .token(
                    key.bytes, keyID: form.given("keyId") ?? "", teamID: form.given("teamId") ?? ""))
        }
        if let certificate = file("p12") {
            let isText = certificate.bytes.starts(with: "-----BEGIN".utf8)
            return CredentialFile(
                name: certificate.shownName,
                contents: isText
                    ? .pem(certificate.bytes)
                    : .pkcs12(certificate.bytes, password: form.exact(FormNames.certificatePassword) ?? ""))
        }
        if let account = file("serviceAccount") {
            return CredentialFile(name: account.shownName, contents: .serviceAccount(account.bytes))
        }
        if let key = file("projectKey") {
            return CredentialFile(name: key.shownName, contents: .projectKey(key.bytes))
        }
        return nil
    }

    /// Returns the connection that a form describes. Settings that the form leaves empty are absent.
    static func connection(in request: ConsoleRequest) -> ConnectionFields {
        var connection = ConnectionFields()
        connection.connector = request.form.given("connector")
        connection.environment = request.form.given("environment").flatMap(PushEnvironment.init(rawValue:))
        connection.bundleId = request.form.given("bundleId")
        connection.credential = credential(in: request)
        return connection
    }
}

extension UploadedFile {
    /// The name for error texts.
    fileprivate var shownName: String { String(name.prefix(100)) }
}

extension Phrase {
    fileprivate static let connector = Phrase("Connector", "Konnektor")
    fileprivate static let connectorHint = Phrase(
        "The first one is the usual choice.", "Der erste ist die übliche Wahl.")
    fileprivate static let stub = Phrase(
        "accepts every message and sends none", "nimmt alles an, sendet nichts")
    fileprivate static let environment = Phrase("Environment", "Umgebung")
    fileprivate static let bundleId = Phrase("Bundle id", "Bundle-ID")
    fileprivate static let bundleHint = Phrase(
        "Such as com.example.shop. A certificate contains it already.",
        "Etwa com.example.shop. Ein Zertifikat enthält sie bereits.")
    fileprivate static let keepHint = Phrase(
        "Leave it empty to keep the present one.", "Leer lassen, um die jetzige zu behalten.")
    fileprivate static let key = Phrase("Key (.p8)", "Schlüssel (.p8)")
    fileprivate static let keyHint = Phrase(
        "From Apple's developer account, Certificates, Identifiers & Profiles, Keys",
        "Aus Apples Entwicklerkonto: Certificates, Identifiers & Profiles, Keys")
    fileprivate static let keyId = Phrase("Key id", "Key-ID")
    fileprivate static let teamId = Phrase("Team id", "Team-ID")
    fileprivate static let certificateInstead = Phrase(
        "Use a certificate instead", "Stattdessen ein Zertifikat")
    fileprivate static let certificate = Phrase("Certificate (.p12 or .pem)", "Zertifikat (.p12 oder .pem)")
    fileprivate static let certificateHint = Phrase(
        "With its private key", "Mit seinem privaten Schlüssel")
    fileprivate static let password = Phrase("Password of the certificate", "Passwort des Zertifikats")
    fileprivate static let serviceAccount = Phrase("Service account (.json)", "Dienstkonto (.json)")
    fileprivate static let serviceHint = Phrase(
        "From the Firebase console, Project settings, Service accounts",
        "Aus der Firebase-Konsole: Projekteinstellungen, Dienstkonten")
    fileprivate static let projectKeyInstead = Phrase(
        "Use a key of the legacy interface instead", "Stattdessen ein Schlüssel der alten Schnittstelle")
    fileprivate static let projectKey = Phrase("Server key of the project", "Serverschlüssel des Projekts")
    fileprivate static let projectHint = Phrase(
        "A text file that contains only the key", "Eine Textdatei, die nur den Schlüssel enthält")
}
