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
                "SQLite: the database file; the instance's key and locks are in the same folder. PostgreSQL: "
                    + "`host[:port][,host2…]`, or the folder of a Unix socket."),
            .init("login", \.store.login, .text, .campaign, "PostgreSQL: `account[:database]`."),
            .init(
                "passwordFile", \.store.passwordFile, .optionalPath, .ours,
                """
                PostgreSQL: a file of mode 0600 that contains the account's password. Without it, \
                libpq's `.pgpass` is used.
                """
            ),
            .init(
                "instanceFolder", \.store.instanceFolder, .path, .ours,
                "PostgreSQL: the folder that contains the instance's key, locks and Unix socket."),
        ]
    ).map(\.onlyAtStart)

    private static let proxy =
        element(
            "shared/proxyConfig",
            [
                .init(
                    "enabled", \.proxy.isEnabled, .bool, .campaign, "Whether the proxies below may be used."),
                .init(
                    "override", \.proxy.override, .hostPatterns, .campaign,
                    "Hosts that are connected to directly, without a proxy."
                ),
                .init(
                    "useSingleProxy", \.proxy.useSingleProxy, .bool, .campaign,
                    "Use `proxyHTTP` for encrypted connections too."),
            ])
        + element(
            "shared/proxyConfig/proxyHTTP",
            [
                .init("address", \.proxy.http.address, .host, .campaign, "The proxy's host name or address."),
                .init("port", \.proxy.http.port, .optionalPort, .campaign, "The proxy's port."),
                .init(
                    "login", \.proxy.http.login, .text, .campaign,
                    "The user name for the proxy, if it requires authentication."),
                .init(
                    "password", \.proxy.http.password, .secret, .campaign,
                    "The password for the proxy. Never shown."),
            ])
        + element(
            "shared/proxyConfig/proxyHTTPS",
            [
                .init(
                    "address", \.proxy.https.address, .host, .campaign,
                    "The proxy's host for encrypted connections, which all gateways require."),
                .init("port", \.proxy.https.port, .optionalPort, .campaign, "The proxy's port."),
                .init(
                    "login", \.proxy.https.login, .text, .campaign,
                    "The user name for the proxy, if it requires authentication."),
                .init(
                    "password", \.proxy.https.password, .secret, .campaign,
                    "The password for the proxy. Never shown."),
            ])

    private static let mta =
        element(
            "mta",
            [
                .init(
                    "autoStart", \.mta.autoStart, .bool, .campaign,
                    "Whether `run` starts the master, which delivers messages."
                ).onlyAtStart,
                .init(
                    "logLevel", \.mta.logLevel, .level, .campaign,
                    """
                    The level of the service's log: 0 for errors, 1 for warnings too, 2 for information \
                    too.
                    """
                ),
                .init(
                    "deliveryLog", \.mta.deliveryLog, .optionalPath, .ours,
                    """
                    A file that receives one line for each attempt to send a message, with its outcome. \
                    Rotated in the same way as `--log-file`.
                    """
                ),
                .init(
                    "retryLostMessages", \.mta.retryLostMessages, .bool, .campaign,
                    """
                    Whether messages of a child that died are sent again. If `false`, they fail as \
                    unreachable.
                    """
                ),
                .init(
                    "verifyMode", \.mta.verifyMode, .bool, .campaign,
                    """
                    Rehearsal: everything runs except the sending. The `stub` connector accepts every \
                    message.
                    """
                ).onlyAtStart,
                .init(
                    "workingPath", \.mta.workingPath, .path, .campaign,
                    """
                    Accepted for compatibility with Campaign; has no effect. The master and children \
                    keep no scratch files.
                    """
                ),
                .init(
                    "processRestartTime", \.mta.processRestartTime, .optionalTimeOfDay, .campaign,
                    "The time of day at which the master is replaced, in the machine's time zone. In-flight "
                        + "work is finished first. Campaign's default is 06:00:00; this engine does not need "
                        + "a daily restart."),
                .init(
                    "maxMemoryMb", \.mta.maxMemoryMb, .count(64...1_048_576), .campaign,
                    """
                    A master that uses more memory than this (MiB) is replaced, but not during its first \
                    ten minutes.
                    """
                ),
            ])
        + element(
            "mta/master",
            [
                .init(
                    "startSpareServers", \.mta.master.startSpareServers, .count(0...256), .campaign,
                    "The number of children spawned at start-up."
                ).onlyAtStart,
                .init(
                    "minSpareServers", \.mta.master.minSpareServers, .count(0...256), .campaign,
                    """
                    The minimum number of children, which are kept even without work. If there are fewer, a \
                    child is spawned every second.
                    """
                ),
                .init(
                    "maxSpareServers", \.mta.master.maxSpareServers, .count(1...256), .campaign,
                    "The maximum number of children. One per core is sufficient."),
                .init(
                    "dataBasePoolPeriodSec", \.mta.master.dataBasePoolPeriodSec, .seconds(1...86_400),
                    .campaign,
                    """
                    How often an idle master polls the store for work that other processes wrote without \
                    notifying it, such as messages, deliveries, pauses and stops. A master that is sending \
                    polls every second. The cost of a poll does not depend on the size of the store.
                    """
                ),
            ])
        + element(
            "mta/child",
            [
                .init(
                    "maxGCMConnectPerChild", \.mta.child.maxGCMConnectPerChild, .count(1...1_000), .campaign,
                    """
                    The maximum number of parallel requests to FCM of one child, for all its accounts \
                    together (V2 connector). A request is one HTTP/2 stream; many streams share a connection.
                    """
                ),
                .init(
                    "maxGCMConnectPerAccount", \.mta.child.maxGCMConnectPerAccount, .count(0...1_000), .ours,
                    """
                    The maximum number of these requests that one account may use in one child, so that a \
                    slow account cannot use all of them. 0: only `maxGCMConnectPerChild` applies.
                    """
                ),
                .init(
                    "maxWaitingMessages", \.mta.child.maxWaitingMessages, .count(1...1_000_000), .campaign,
                    "The maximum number of messages that are granted to a child and whose outcomes are not "
                        + "yet on disk. One account uses at most half of this number in one child, to leave "
                        + "capacity for other accounts. The setting also limits the number of duplicates "
                        + "when a child is lost."),
                .init(
                    "maxMsgPerChild", \.mta.child.maxMsgPerChild, .count(1...1_000_000_000), .campaign,
                    "The number of messages after which a child is replaced."),
                .init(
                    "maxAgeSec", \.mta.child.maxAgeSec, .seconds(1...86_400), .campaign,
                    "A message that a child could not send within this time is returned to the queue."),
                .init(
                    "idleChildTimeoutSec", \.mta.child.idleChildTimeoutSec, .seconds(1...86_400), .campaign,
                    "The time after which a child without work exits."),
                .init(
                    "maxWorkingSetMb", \.mta.child.maxWorkingSetMb, .count(16...1_048_576), .campaign,
                    "A child that uses more memory (MiB) than this, plus ½ MiB for each open connection, "
                        + "is drained and replaced."
                ),
                .init(
                    "timeToLive", \.mta.child.timeToLive, .count(1...10_000), .campaign,
                    """
                    Accepted for compatibility with Campaign; has no effect. `nmac/retry` and the \
                    validity determine how often a message is tried.
                    """
                ),
            ])

    private static let nmac =
        element(
            "nmac",
            [
                .init(
                    "useHTTPProxy", \.nmac.useHTTPProxy, .bool, .campaign,
                    "Whether gateways are reached through `shared/proxyConfig`."),
                .init(
                    "retentionDays", \.nmac.retentionDays, .count(0...DeliverySchedule.maxRetentionDays),
                    .ours,
                    "The number of days for which a delivery's messages are kept after the delivery's end; "
                        + "the counts are kept permanently. 0: forever. A delivery can override this "
                        + "setting."),
                .init(
                    "webhookDays", \.nmac.webhookDays, .count(1...365), .ours,
                    """
                    The number of days for which events are kept for a webhook whose receiver does not \
                    accept them. After this time, the events are dropped and counted.
                    """
                ),
                .init(
                    "webhookOutboxMb", \.nmac.webhookOutboxMb, .count(1...1_048_576), .ours,
                    "The maximum size (MiB) of the events that are kept for a webhook. The oldest events are "
                        + "dropped first."),
            ])

    private static let rules =
        element(
            "nmac/retry",
            [
                .init(
                    "count", \.nmac.retry.count, .count(0...1_000), .ours,
                    """
                    The number of retries on the first day, followed by one a day until validity ends. A \
                    delivery can override this setting.
                    """
                ),
                .init(
                    "period", \.nmac.retry.periodSec, .duration(1...2_592_000), .ours,
                    "The minimum time between two attempts. A delivery can override this setting."),
                .init(
                    "minimumDelays", \.nmac.retry.minimumDelays, .bool, .ours,
                    """
                    Whether the gateways' own minimum waits apply even if the retry schedule allows an \
                    earlier attempt.
                    """
                ),
                .init(
                    "fastCount", \.nmac.retry.fastCount, .count(0...20), .ours,
                    """
                    The number of retries after a lost connection or a 5xx from FCM, before the retry \
                    schedule applies. After a 5xx from APNs, only the schedule applies. 0: none.
                    """
                ),
                .init(
                    "fastDelay", \.nmac.retry.fastDelaySec, .duration(1...3_600), .ours,
                    """
                    The wait before the first of the retries that `fastCount` allows. The wait doubles with \
                    each retry, up to an hour. A gateway's minimum wait can be longer.
                    """
                ),
            ])
        + element(
            "nmac/quarantine",
            [
                .init(
                    "maxErrors", \.nmac.quarantine.maxErrors, .count(1...1_000), .ours,
                    "The number of soft errors that put a token into quarantine. A success, or ten days "
                        + "without errors, resets the count. A token that the gateway reports as invalid is "
                        + "excluded immediately."),
                .init(
                    "significantErrorDelay", \.nmac.quarantine.significantErrorDelaySec,
                    .duration(0...31_536_000), .ours,
                    "Errors of a token that are closer together than this duration count as one error."),
                .init(
                    "stormRatio", \.nmac.quarantine.stormRatio, .ratio, .ours,
                    "The maximum plausible share of an app's devices with dead tokens. If nearly all answers "
                        + "reject tokens, for longer than dead devices can explain, the account stops until "
                        + "an operator decides (`quarantine storm`). 1: never."
                ),
                .init(
                    "stormMinimum", \.nmac.quarantine.stormMinimum, .count(1...1_000_000), .ours,
                    """
                    The minimum number of consecutive rejected tokens that stops an account. The minimum is \
                    ten times as high if the gateway has accepted messages from the account.
                    """
                ),
                .init(
                    "holdDelay", \.nmac.quarantine.holdDelaySec, .duration(0...31_536_000), .ours,
                    "How long the rejection of a token is held back if the gateway has accepted messages "
                        + "from the account but there are too few answers to decide. After this time, the "
                        + "rejection takes effect unless answers contradict it."),
                .init(
                    "purgeDelay", \.nmac.quarantine.purgeDelaySec, .duration(0...315_360_000), .ours,
                    """
                    Subscribers whose token has been in quarantine or disabled for longer than this are \
                    removed. 0: never.
                    """
                ),
            ])
}
