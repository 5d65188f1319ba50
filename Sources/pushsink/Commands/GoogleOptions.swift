internal import ArgumentParser

/// What `run` is told of FCM and its OAuth endpoint.
struct GoogleOptions: ParsableArguments {
    @Option(
        help:
            "Serve FCM (v1 and legacy, HTTP/2 and HTTP/1.1) on this port; 0: any free one. (default: no FCM)")
    var fcmPort: UInt16?

    @Option(help: "The port of the OAuth endpoint, POST /token; 0: any free one.")
    var oauthPort: UInt16 = 0

    @Option(name: .customLong("oauth-expires-s"), help: "How long an access token is good.")
    var oauthExpiresSeconds = 3600

    @Option(name: .customLong("fcm-max-streams"), help: "SETTINGS_MAX_CONCURRENT_STREAMS of FCM.")
    var maxStreams: UInt32 = 100

    @Option(name: .customLong("fcm-delay-ms"), help: "Wait before every answer of FCM.")
    var delayMs: UInt64 = 0

    @Option(help: "Messages per minute, then 429 with Retry-After; 0: no limit.")
    var fcmQuotaPerMinute = 0

    @Option(help: "Rules by token prefix for FCM; see below.")
    var fcmRules: String?

    @Option(help: "Rules for the OAuth endpoint; see below.")
    var oauthRules: String?

    @Option(help: "One tab-separated line per FCM message.")
    var fcmLog: String?

    @Option(help: "Where to write the service account with this sink's own token_uri.")
    var writeServiceAccount: String?

    func validate() throws {
        guard delayMs <= 86_400_000 else {
            throw ValidationError("--fcm-delay-ms needs a number up to 86400000")
        }
        guard maxStreams <= Int32.max else {
            throw ValidationError("a number of streams is at most 2147483647")
        }
        guard fcmQuotaPerMinute >= 0 else {
            throw ValidationError("--fcm-quota-per-minute needs a number from 0")
        }
        guard (1...86_400).contains(oauthExpiresSeconds) else {
            throw ValidationError("--oauth-expires-s needs a number from 1 to 86400")
        }
        guard fcmPort == nil,
            [fcmRules, oauthRules, fcmLog, writeServiceAccount].contains(where: { $0 != nil })
        else {
            return
        }
        throw ValidationError("options of FCM need --fcm-port")
    }

    /// Listeners and counts; nil: no FCM was asked for.
    func serve(
        _ set: CertificateSet, bind: String, countsDistinct: Bool, stopAfter: [Int],
        randomFaults: RandomFaultOptions
    ) throws(SinkError) -> GoogleServing? {
        guard let fcmPort else { return nil }
        let fcmBook = randomFaults.over(try book(fcmRules, .fcm), of: .fcm),
            oauthBook = try book(oauthRules, .oauth)
        let tls = try TLSIdentity(
            identity: set.path(CertificateSet.Name.server),
            authority: set.path(CertificateSet.Name.authority),
            alpn: "h2,http/1.1", clients: .asked)
        var account = try set.serviceAccount()
        guard let assertion = Assertion(account: account) else {
            throw SinkError(
                .certificates(
                    directory: set.directory,
                    problem: "\(CertificateSet.Name.serviceAccount) holds no private key"))
        }
        let tokens = AccessTokens(lifetime: oauthExpiresSeconds)
        var settings = FCMGateway.Settings()
        settings.streams = maxStreams
        settings.delay = .milliseconds(delayMs)
        settings.messagesPerMinute = fcmQuotaPerMinute
        var log: RequestLog?
        if let fcmLog { log = try RequestLog(file: fcmLog, columns: RequestLog.fcmColumns) }
        let fcmCounts = SinkCounts(countsDistinct: countsDistinct),
            oauthCounts = SinkCounts(countsDistinct: false)
        fcmCounts.stops = stopAfter
        let fcm = FCMGateway(
            settings: settings, contract: FCMContract(checksFields: countsDistinct),
            project: account.projectID,
            legacyKey: try set.projectKey(), tokens: tokens, behaviours: fcmBook, counts: fcmCounts, log: log)
        let oauth = OAuthGateway(
            account: account, assertion: assertion, tokens: tokens, behaviours: oauthBook, counts: oauthCounts
        )
        let serving = GoogleServing(
            fcm: try ServedGateway(
                fcm, fcmCounts, address: bind, port: fcmPort, tls: tls, door: randomFaults.door(of: .fcm)),
            oauth: try ServedGateway(oauth, oauthCounts, address: bind, port: oauthPort, tls: tls), log: log)
        oauth.serves(port: serving.oauth.listener.port)
        if let writeServiceAccount {
            let host = bind.contains(":") ? "[\(bind)]" : bind
            account.tokenURI = "https://\(host):\(serving.oauth.listener.port)/token"
            try Files.replace(writeServiceAccount, with: account.json, mode: 0o600)
        }
        return serving
    }

    private func book(_ file: String?, _ dialect: RuleDialect) throws(SinkError) -> [any GatewayBehaviour] {
        guard let file else { return [] }
        return [try RuleBook(text: Files.text(file), file: file, for: dialect)]
    }
}
