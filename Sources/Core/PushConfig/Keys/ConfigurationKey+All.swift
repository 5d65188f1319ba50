internal import PushModel

extension ConfigurationKey {
    /// Every key that does not belong to a gateway, in file order. Names are defined only here. Defaults and
    /// the reasons for them are documented at the properties.
    static let beforeGateways: [ConfigurationKey] = store + proxy + mta + nmac
    static let afterGateways: [ConfigurationKey] = rules + web

    private static let store = element(
        "shared/dataStore/dataSource/dbcnx",
        [
            .init("provider", \.store.provider, .word, .campaign, "The database engine."),
            .init(
                "server", \.store.server, .path, .campaign,
                "SQLite: the database file; the instance's key and locks lie in the same folder. PostgreSQL: "
                    + "`host[:port][,host2…]`, or the folder of a Unix socket."),
            .init("login", \.store.login, .text, .campaign, "PostgreSQL: `account[:database]`."),
            .init(
                "passwordFile", \.store.passwordFile, .optionalPath, .ours,
                "PostgreSQL: a file of mode 0600 with the account's password; without one, libpq's `.pgpass` counts."
            ),
            .init(
                "instanceFolder", \.store.instanceFolder, .path, .ours,
                "PostgreSQL: the folder of the instance's key, locks and Unix socket."),
        ]
    ).map(\.onlyAtStart)

    private static let proxy =
        element(
            "shared/proxyConfig",
            [
                .init(
                    "enabled", \.proxy.isEnabled, .bool, .campaign, "Whether the proxies below may be used."),
                .init(
                    "override", \.proxy.override, .hostPatterns, .campaign, "Hosts that are reached directly."
                ),
                .init(
                    "useSingleProxy", \.proxy.useSingleProxy, .bool, .campaign,
                    "Use `proxyHTTP` for encrypted connections as well."),
            ])
        + element(
            "shared/proxyConfig/proxyHTTP",
            [
                .init("address", \.proxy.http.address, .host, .campaign, "The proxy's host."),
                .init("port", \.proxy.http.port, .optionalPort, .campaign, "Its port."),
                .init(
                    "login", \.proxy.http.login, .text, .campaign,
                    "The account at the proxy, if it asks for one."),
                .init("password", \.proxy.http.password, .secret, .campaign, "Its password. Never shown."),
            ])
        + element(
            "shared/proxyConfig/proxyHTTPS",
            [
                .init(
                    "address", \.proxy.https.address, .host, .campaign,
                    "The host of the proxy for encrypted connections, which all gateways want."),
                .init("port", \.proxy.https.port, .optionalPort, .campaign, "Its port."),
                .init(
                    "login", \.proxy.https.login, .text, .campaign,
                    "The account at the proxy, if it asks for one."),
                .init("password", \.proxy.https.password, .secret, .campaign, "Its password. Never shown."),
            ])

    private static let mta =
        element(
            "mta",
            [
                .init(
                    "autoStart", \.mta.autoStart, .bool, .campaign, "`run` starts the master, which delivers."
                ).onlyAtStart,
                .init(
                    "logLevel", \.mta.logLevel, .level, .campaign,
                    "What the log of a delivery holds: 0 errors, 1 and warnings, 2 and information."),
                .init(
                    "deliveryLog", \.mta.deliveryLog, .optionalPath, .ours,
                    "A file that gets a line for each attempt at a message, with its outcome; rotated as `--log-file` is."
                ),
                .init(
                    "retryLostMessages", \.mta.retryLostMessages, .bool, .campaign,
                    "Messages of a child that died are sent again; with `false` they fail as unreachable."),
                .init(
                    "verifyMode", \.mta.verifyMode, .bool, .campaign,
                    "Rehearsal: everything happens but the sending; the `stub` connector takes every message."
                ).onlyAtStart,
                .init(
                    "workingPath", \.mta.workingPath, .path, .campaign,
                    "Read for Campaign's sake, without effect: master and children keep no scratch files."),
                .init(
                    "processRestartTime", \.mta.processRestartTime, .optionalTimeOfDay, .campaign,
                    "When the master is replaced each day, by the machine's time zone; what is in flight is finished first. "
                        + "Campaign's default is 06:00:00; this engine needs none."),
                .init(
                    "maxMemoryMb", \.mta.maxMemoryMb, .count(64...1_048_576), .campaign,
                    "A master that uses more memory (MiB) is replaced, after ten minutes at the earliest."),
            ])
        + element(
            "mta/master",
            [
                .init(
                    "startSpareServers", \.mta.master.startSpareServers, .count(0...256), .campaign,
                    "Children spawned at start-up."
                ).onlyAtStart,
                .init(
                    "minSpareServers", \.mta.master.minSpareServers, .count(0...256), .campaign,
                    "Children kept also without work; below it one is spawned every second."),
                .init(
                    "maxSpareServers", \.mta.master.maxSpareServers, .count(1...256), .campaign,
                    "Children at most. One for a core is enough."),
                .init(
                    "dataBasePoolPeriodSec", \.mta.master.dataBasePoolPeriodSec, .seconds(1...86_400),
                    .campaign,
                    """
                    How often an idle master polls the store for work that no process has notified it of: messages, \
                    deliveries, pauses, stops, whatever another process wrote. While it sends it polls every second. A poll \
                    costs the same however large the store is.
                    """
                ),
            ])
        + element(
            "mta/child",
            [
                .init(
                    "maxGCMConnectPerChild", \.mta.child.maxGCMConnectPerChild, .count(1...1_000), .campaign,
                    "Parallel requests to FCM, for each child and account (V2 connector)."),
                .init(
                    "maxWaitingMessages", \.mta.child.maxWaitingMessages, .count(1...1_000_000), .campaign,
                    "Messages in a child's hands at most: granted, and their outcomes not yet on disk. One account has at most "
                        + "half of it in one child, so that another finds room. Also the bound on duplicates when a child is "
                        + "lost."),
                .init(
                    "maxMsgPerChild", \.mta.child.maxMsgPerChild, .count(1...1_000_000_000), .campaign,
                    "After so many messages a child is replaced."),
                .init(
                    "maxAgeSec", \.mta.child.maxAgeSec, .seconds(1...86_400), .campaign,
                    "A message that a child could not send within this goes back to the queue."),
                .init(
                    "idleChildTimeoutSec", \.mta.child.idleChildTimeoutSec, .seconds(1...86_400), .campaign,
                    "A child without work ends after this."),
                .init(
                    "maxWorkingSetMb", \.mta.child.maxWorkingSetMb, .count(16...1_048_576), .campaign,
                    "A child that uses more memory (MiB) than this, plus ½ MiB for each open connection, "
                        + "is drained and replaced."
                ),
                .init(
                    "timeToLive", \.mta.child.timeToLive, .count(1...10_000), .campaign,
                    "Read for Campaign's sake, without effect: `nmac/retry` and validity say how often a message is tried."
                ),
            ])

    private static let nmac =
        element(
            "nmac",
            [
                .init(
                    "useHTTPProxy", \.nmac.useHTTPProxy, .bool, .campaign,
                    "Gateways are reached through `shared/proxyConfig`."),
                .init(
                    "retentionDays", \.nmac.retentionDays, .count(0...DeliverySchedule.longestRetentionDays),
                    .ours,
                    "Days after its end that the messages of a delivery are kept; its counts stay. 0: for ever. A delivery may "
                        + "bring its own."),
                .init(
                    "webhookDays", \.nmac.webhookDays, .count(1...365), .ours,
                    "Days that events are kept for a webhook whose receiver does not take them; then they are dropped, and counted."
                ),
                .init(
                    "webhookOutboxMb", \.nmac.webhookOutboxMb, .count(1...1_048_576), .ours,
                    "What they may take (MiB); the oldest are dropped first."),
            ])

    private static let rules =
        element(
            "nmac/retry",
            [
                .init(
                    "count", \.nmac.retry.count, .count(0...1_000), .ours,
                    "Retries on the first day; then one a day until validity ends. A delivery may bring its own."
                ),
                .init(
                    "period", \.nmac.retry.periodSec, .duration(1...2_592_000), .ours,
                    "Time between two attempts, at least. A delivery may bring its own."),
                .init(
                    "minimumDelays", \.nmac.retry.minimumDelays, .bool, .ours,
                    "Keep the gateways' own minimum waits also where the calendar would try earlier."),
                .init(
                    "fastCount", \.nmac.retry.fastCount, .count(0...20), .ours,
                    "Retries after a lost connection or a 5xx of FCM, before the calendar, which alone decides after a 5xx of APNs. 0: none."
                ),
                .init(
                    "fastDelay", \.nmac.retry.fastDelaySec, .duration(1...3_600), .ours,
                    "Wait before the first of these; it doubles with each, up to an hour. A gateway's minimum may be longer."
                ),
            ])
        + element(
            "nmac/quarantine",
            [
                .init(
                    "maxErrors", \.nmac.quarantine.maxErrors, .count(1...1_000), .ours,
                    "Soft errors that put a token into quarantine; ten quiet days or a success begin the count anew. A token "
                        + "that its gateway calls dead goes at once."),
                .init(
                    "significantErrorDelay", \.nmac.quarantine.significantErrorDelaySec,
                    .duration(0...31_536_000), .ours,
                    "Errors of a token nearer to each other than this count as one."),
                .init(
                    "stormRatio", \.nmac.quarantine.stormRatio, .ratio, .ours,
                    "The share of an app's devices that may be dead. When nearly all answers reject tokens, for longer than "
                        + "dead devices explain, the account stops until an operator decides (`quarantine storm`). 1: never."
                ),
                .init(
                    "stormMinimum", \.nmac.quarantine.stormMinimum, .count(1...1_000_000), .ours,
                    "Rejected tokens in a row that stop an account, at least; ten times as many if it had messages accepted."
                ),
                .init(
                    "holdDelay", \.nmac.quarantine.holdDelaySec, .duration(0...31_536_000), .ours,
                    "How long a verdict waits at most whose account had messages accepted, if its answers are too few to decide; "
                        + "then it is applied unless answers contradict it."),
                .init(
                    "purgeDelay", \.nmac.quarantine.purgeDelaySec, .duration(0...315_360_000), .ours,
                    "Subscribers whose token has been in quarantine, or disabled, for longer are removed. 0: never."
                ),
            ])

    private static let web =
        element(
            "web",
            [
                .init(
                    "autoStart", \.web.autoStart, .bool, .campaign,
                    "`run` starts the listener: `/healthz`, `/readyz`, `/metrics`."
                ).onlyAtStart,
                .init(
                    "bind", \.web.bind, .host, .ours,
                    "The address it listens on; `0.0.0.0` is all of the machine's."
                ).onlyAtStart,
                .init(
                    "httpPort", \.web.httpPort, .count(0...65_535), .campaign, "Its port; 0: any free one."
                ).onlyAtStart,
                .init(
                    "apiTokenFile", \.web.apiTokenFile, .path, .ours,
                    "Holds the first token of the API: made with the first start of the web module, or brought along."
                ).onlyAtStart,
                .init(
                    "certificateChain", \.web.certificateChain, .optionalPath, .ours,
                    "PEM file, the server's certificate first; with `privateKey`: HTTPS instead of HTTP. Read again when it changes."
                ).onlyAtStart,
                .init(
                    "privateKey", \.web.privateKey, .optionalPath, .ours,
                    "PEM file; with `certificateChain`: HTTPS instead of HTTP. Read again when it changes."
                ).onlyAtStart,
                .init(
                    "maxConnections", \.web.maxConnections, .count(16...100_000), .ours,
                    "Open connections. Beyond it one that waits for its client is closed for each that comes."
                ),
                .init(
                    "keepAliveSec", \.web.keepAliveSec, .seconds(1...86_400), .ours,
                    "How long a connection is kept open between two requests. Longer than a load balancer in front keeps its own."
                ),
                .init(
                    "maxRequestsPerSecondPerAddress", \.web.maxRequestsPerSecondPerAddress,
                    .count(0...1_000_000), .ours,
                    "Who asks more is answered 429. IPv6 clients count by their first 64 bits, those of this machine not at all. 0: no limit."
                ),
                .init(
                    "trustedProxies", \.web.trustedProxies, .networks, .ours,
                    "Whose `X-Forwarded-For` is believed: a reverse proxy's address, or its network such as `10.0.0.0/8`."
                ),
            ])
        + element(
            "tracking",
            [
                .init(
                    "messageIdFormat", \.tracking.messageIDFormat, .word, .ours,
                    "What `_mId` looks like for apps that do not choose.")
            ])
        + element(
            "trackinglogd",
            [
                .init(
                    "autoStart", \.trackinglogd.autoStart, .bool, .campaign,
                    "Impressions and clicks are recorded."
                ).onlyAtStart
            ])
}
