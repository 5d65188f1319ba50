internal import ArgumentParser

/// The options of `run` for FCM and its OAuth endpoint.
struct GoogleOptions: ParsableArguments {
    @Option(
        help:
            """
            Serve FCM (v1 and legacy, HTTP/2 and HTTP/1.1) on this port. 0 means any free port. \
            (default: no FCM)
            """
    )
    var fcmPort: UInt16?

    @Option(help: "The port of the OAuth endpoint, POST /token. 0 means any free port.")
    var oauthPort: UInt16 = 0

    @Option(name: .customLong("oauth-expires-s"), help: "The lifetime of an access token, in seconds.")
    var oauthExpiresSeconds = 3600

    @Option(name: .customLong("fcm-max-streams"), help: "SETTINGS_MAX_CONCURRENT_STREAMS of FCM.")
    var maxStreams: UInt32 = 100

    @Option(name: .customLong("fcm-delay-ms"), help: "The delay before every answer of FCM, in milliseconds.")
    var delayMs: UInt64 = 0

    @Option(
        help:
            """
            The maximum number of messages per minute. Further messages receive 429 with Retry-After. 0 \
            means no limit.
            """
    )
    var fcmQuotaPerMinute = 0

    @Option(help: "A file of rules by token prefix for FCM. See below.")
    var fcmRules: String?

    @Option(help: "A file of rules for the OAuth endpoint. See below.")
    var oauthRules: String?

    @Option(help: "A file to which one tab-separated line is written per FCM message.")
    var fcmLog: String?

    @Option(help: "The file to which the service account with this sink's own token_uri is written.")
    var writeServiceAccount: String?

    func validate() throws {
        try check(delayMs <= 86_400_000, "--fcm-delay-ms must be at most 86400000")
        try check(maxStreams <= Int32.max, "the number of streams must be at most 2147483647")
        try check(fcmQuotaPerMinute >= 0, "--fcm-quota-per-minute must be a number from 0")
        try check(
            (1...86_400).contains(oauthExpiresSeconds), "--oauth-expires-s must be a number from 1 to 86400")
        let others = [fcmRules, oauthRules, fcmLog, writeServiceAccount]
        try check(fcmPort != nil || others.allSatisfy { $0 == nil }, "options of FCM need --fcm-port")
    }

    /// Serves FCM and its OAuth endpoint if the options request them.
    func serve(_ plan: SinkPlan) throws(SinkError) -> [ServedGateway] {
        guard let fcmPort else { return [] }
        let fcmScript = try plan.randomFaults.script(fcmRules, .fcm)
        let oauthScript = try plan.randomFaults.script(oauthRules, .oauth)
        let tls = try TLSIdentity(plan.certificates, alpn: "h2,http/1.1", clients: .asked)
        var account = try plan.certificates.serviceAccount()
        guard let assertion = Assertion(account: account) else {
            throw CertificateSet.problem(
                "\(CertificateSet.Name.serviceAccount) contains no private key",
                in: plan.certificates.directory)
        }
        let tokens = AccessTokens(lifetime: oauthExpiresSeconds)
        let fcm = FCMGateway(
            settings: FCMGateway.Settings(
                streams: maxStreams, delay: .milliseconds(delayMs), messagesPerMinute: fcmQuotaPerMinute),
            contract: FCMContract(checksFields: plan.isThorough), project: account.projectID,
            legacyKey: try plan.certificates.projectKey(), tokens: tokens, behaviours: fcmScript,
            counts: SinkCounts(countsDistinct: plan.isThorough, stops: plan.stopAfter),
            log: try RequestLog(file: fcmLog, columns: RequestLog.fcmColumns))
        let oauth = OAuthGateway(
            account: account, assertion: assertion, tokens: tokens, behaviours: oauthScript,
            counts: SinkCounts(countsDistinct: false))
        let served = [
            try plan.serve("oauth", oauth, port: oauthPort, tls: tls),
            try plan.serve(
                "fcm", fcm, port: fcmPort, tls: tls, door: plan.randomFaults.door(of: .fcm)),
        ]
        let port = served[0].listener.port
        oauth.serves(port: port)
        if let writeServiceAccount {
            account.tokenURI = "https://\(plan.place(port))/token"
            try Files.replace(writeServiceAccount, with: account.json, mode: 0o600)
        }
        return served
    }
}
