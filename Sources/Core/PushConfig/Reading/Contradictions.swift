/// Settings that are individually valid but contradict each other.
struct Contradictions {
    typealias Property = PartialKeyPath<ServerConfiguration>

    private(set) var findings: [Finding] = []
    private let assembly: SettingsAssembly
    private var settings: ServerConfiguration { assembly.settings }

    init(_ assembly: SettingsAssembly) {
        self.assembly = assembly
        checkStore()
        checkRehearsal()
        checkStaffing()
        checkListener()
        checkProxy()
        checkRetries()
        checkQuarantine()
    }

    private mutating func checkStore() {
        let provider = \ServerConfiguration.store.provider
        switch settings.store.provider {
        case .sqlite: checkSQLite()
        case .postgreSQL: checkPostgreSQL()
        }
        // If the element does not name a database engine, Campaign uses its own default. PushMTA must not
        // silently use a different default.
        guard let element = assembly.elementPosition(of: provider), !assembly.isWritten(provider) else {
            return
        }
        findings.append(
            Finding(
                .error, at: assembly.position(of: provider) ?? element,
                "\(assembly.path(of: provider)): found nothing, which means "
                    + "\(StoreProvider.campaignDefault); allowed: \(assembly.allowed(provider))"))
    }

    private mutating func checkSQLite() {
        let others: [Property] = [\.store.login, \.store.passwordFile, \.store.instanceFolder]
        for property in others where assembly.isWritten(property) {
            report(.warning, [property], "has no effect with provider \(StoreProvider.sqlite.rawValue)")
        }
    }

    private mutating func checkPostgreSQL() {
        let server = \ServerConfiguration.store.server, login = \ServerConfiguration.store.login
        let provider = \ServerConfiguration.store.provider
        if !assembly.isWritten(server) || settings.store.hosts == nil {
            let found = assembly.isWritten(server) ? quoted(settings.store.server) : "nothing"
            report(.error, [server, provider], "found \(found), allowed: \(StoreConfiguration.hostsAllowed)")
        }
        if settings.store.account == nil {
            let found = assembly.isWritten(login) ? quoted(settings.store.login) : "nothing"
            report(
                .error, [login, provider], "found \(found), allowed: \(StoreConfiguration.accountAllowed)")
        }
    }

    /// Warns about the rehearsal mode. The mode is not a contradiction, but an operator who forgets that it
    /// is enabled believes that messages were sent.
    private mutating func checkRehearsal() {
        guard settings.mta.verifyMode else { return }
        report(
            .warning, [\.mta.verifyMode],
            "is true: this is a rehearsal; messages are counted as sent, but none is sent")
    }

    private mutating func checkStaffing() {
        let master = settings.mta.master
        let most = \ServerConfiguration.mta.master.maxSpareServers
        for (property, value) in [
            (\ServerConfiguration.mta.master.minSpareServers, master.minSpareServers),
            (\ServerConfiguration.mta.master.startSpareServers, master.startSpareServers),
        ] where value > master.maxSpareServers {
            report(
                .error, [property, most],
                "\(value) exceeds \(assembly.path(of: most)) (\(shown(most, master.maxSpareServers)))"
            )
        }
    }

    private mutating func checkListener() {
        let web = settings.web
        let chain = \ServerConfiguration.web.certificateChain, key = \ServerConfiguration.web.privateKey
        if web.certificateChain != nil, web.privateKey == nil {
            report(
                .error, [chain, key], "has no effect without \(assembly.path(of: key)): set both or neither")
        }
        if web.privateKey != nil, web.certificateChain == nil {
            report(
                .error, [key, chain],
                "has no effect without \(assembly.path(of: chain)): set both or neither")
        }
        if !web.bindsLoopbackOnly, web.certificateChain == nil, web.privateKey == nil {
            report(
                .warning, [\.web.bind, chain, key],
                "\(quoted(web.bind)) can be reached from other machines; without "
                    + "\(assembly.path(of: chain)), tokens and registrations are transmitted unencrypted")
        }
        checkAdminListener()
        checkPublicURL()
        checkSignIn()
    }

    private mutating func checkAdminListener() {
        let web = settings.web
        let bind = \ServerConfiguration.web.bind, port = \ServerConfiguration.web.httpPort
        let adminBind = \ServerConfiguration.web.adminBind, adminPort = \ServerConfiguration.web.adminPort
        guard let number = web.adminPort else {
            if !web.bindsLoopbackOnly {
                report(
                    .warning, [bind, adminPort, port],
                    "\(quoted(web.bind)) can be reached from other machines, and so can /metrics, /healthz, "
                        + "/readyz and the API; set \(assembly.path(of: adminPort)) to serve them on a port "
                        + "of their own")
            }
            if web.adminBind != WebConfiguration().adminBind {
                report(
                    .warning, [adminBind, adminPort],
                    "has no effect without \(assembly.path(of: adminPort))")
            }
            return
        }
        if number > 0, number == web.httpPort, WebConfiguration.overlap(web.bind, web.adminBind) {
            report(
                .error, [adminPort, port, bind, adminBind],
                "\(number) is also \(assembly.path(of: port)); choose another port")
        }
        if !WebConfiguration.isLoopback(web.adminBind), web.tls == nil {
            let chain = \ServerConfiguration.web.certificateChain
            report(
                .warning, [adminBind, adminPort, chain, \.web.privateKey],
                "\(quoted(web.adminBind)) can be reached from other machines; without "
                    + "\(assembly.path(of: chain)), the API's tokens are transmitted unencrypted")
        }
    }

    private mutating func checkPublicURL() {
        guard let url = settings.web.publicURL, !url.isSecure, !url.isLoopback else { return }
        report(
            .warning, [\.web.publicURL],
            "\(url.text) is not HTTPS: the extensions of Adobe's SDK always use HTTPS, and iOS and Android "
                + "refuse HTTP in published apps")
    }

    private mutating func checkSignIn() {
        let web = settings.web, openID = web.openID, usual = OpenIDConfiguration()
        let issuer = \ServerConfiguration.web.openID.issuer, client = \ServerConfiguration.web.openID.clientID
        let claim = \ServerConfiguration.web.openID.nameClaim, scopes = \ServerConfiguration.web.openID.scopes
        let header = \ServerConfiguration.web.personHeader, proxies = \ServerConfiguration.web.trustedProxies
        if web.personHeader != nil, web.trustedProxies.isEmpty {
            report(.error, [header, proxies], "has no effect without \(assembly.path(of: proxies))")
        }
        if !web.console {
            let isSet = [(header as Property, web.personHeader != nil), (issuer, openID.issuer != nil)]
            for (property, _) in isSet.filter(\.1) {
                report(.warning, [property, \.web.console], "has no effect without the console")
            }
        }
        guard openID.issuer != nil else {
            let others: [(Property, Bool)] = [
                (client, openID.clientID != usual.clientID),
                (\.web.openID.clientSecretFile, openID.clientSecretFile != usual.clientSecretFile),
                (claim, openID.nameClaim != usual.nameClaim), (scopes, openID.scopes != usual.scopes),
                (\.web.openID.label, openID.label != usual.label),
            ]
            for (property, isSet) in others where isSet {
                report(.warning, [property, issuer], "has no effect without \(assembly.path(of: issuer))")
            }
            return
        }
        if openID.clientID.isEmpty {
            report(.error, [issuer, client], "requires \(assembly.path(of: client))")
        }
        let granted = openID.scopes.split(separator: " ")
        let needed = openID.nameClaim.scope
        if !granted.contains(needed[...]) {
            report(
                .warning, [claim, scopes],
                "\(openID.nameClaim.rawValue) usually needs the scope \(needed) in "
                    + "\(assembly.path(of: scopes))")
        }
    }

    private mutating func checkProxy() {
        guard settings.nmac.useHTTPProxy else { return }
        let proxy = settings.proxy, wish = \ServerConfiguration.nmac.useHTTPProxy
        let address: Property = proxy.useSingleProxy ? \.proxy.http.address : \.proxy.https.address
        let port: Property = proxy.useSingleProxy ? \.proxy.http.port : \.proxy.https.port
        guard proxy.isEnabled else {
            let enabled = \ServerConfiguration.proxy.isEnabled
            return report(
                .error, [wish, enabled], "requires a proxy, but \(assembly.path(of: enabled)) is false")
        }
        guard let server = proxy.forTLS else {
            return report(
                .error, [wish, address, \.proxy.useSingleProxy],
                "requires a proxy, but \(assembly.path(of: address)) is empty")
        }
        if server.port == nil {
            report(
                .error, [address, port, wish],
                "is used by \(assembly.path(of: wish)) and requires \(assembly.path(of: port))")
        }
    }

    private mutating func checkRetries() {
        let count = \ServerConfiguration.nmac.retry.count, period = \ServerConfiguration.nmac.retry.periodSec
        let retry = settings.nmac.retry
        let fitting = Self.daySeconds / max(retry.periodSec, 1)
        guard retry.count > fitting else { return }
        report(
            .warning, [count, period],
            "\(retry.count) attempts at intervals of \(DurationSetting.written(retry.periodSec)) "
                + "(\(assembly.path(of: period))) do not fit into the first day: \(fitting) are made, then "
                + "one a day"
        )
    }

    private mutating func checkQuarantine() {
        let most = \ServerConfiguration.nmac.quarantine.maxErrors
        let delay = \ServerConfiguration.nmac.quarantine.significantErrorDelaySec
        let quarantine = settings.nmac.quarantine
        guard quarantine.maxErrors > 1, quarantine.significantErrorDelaySec > Self.quietSeconds else {
            return
        }
        report(
            .warning, [delay, most],
            """
            after \(DurationSetting.written(Self.quietSeconds)) without an error, a token's count restarts; \
            if errors count only when they are \
            \(DurationSetting.written(quarantine.significantErrorDelaySec)) apart, the count never reaches \
            \(assembly.path(of: most)) (\(shown(most, quarantine.maxErrors))); shorten the delay
            """)
    }

    private static let daySeconds = 86_400
    /// Campaign's period after which the error count of a token restarts.
    private static let quietSeconds = 10 * daySeconds

    /// Reports a problem with the first of the properties, at the position of the first property that is
    /// written in the file. Reports nothing if the text of any of the properties was refused: the value is
    /// then unknown, and the refusal has already been reported.
    private mutating func report(_ severity: Finding.Severity, _ properties: [Property], _ what: String) {
        guard let subject = properties.first, !properties.contains(where: { assembly.wasRefused($0) }) else {
            return
        }
        let written = properties.first { assembly.isWritten($0) }
        let position = written.flatMap { assembly.position(of: $0) }
        findings.append(Finding(severity, at: position, "\(assembly.path(of: subject)): \(what)"))
    }

    private func shown(_ property: Property, _ value: Int) -> String {
        assembly.isWritten(property) ? "\(value)" : "\(value), its default"
    }
}
