/// The gateways: `nmac`.
package struct NMACConfiguration: Equatable, Sendable {
    /// Whether gateways are reached through `shared/proxyConfig`. Campaign's default is a direct connection.
    package var useHTTPProxy = false
    /// The number of days that messages are kept after the end of a delivery. The default is enough for
    /// queries about a month's deliveries. 0 means forever.
    package var retentionDays = 30
    /// The number of days that events are kept for a receiver that does not accept them. The default is
    /// enough for a receiver that is unavailable over a holiday.
    package var webhookDays = 7
    /// The maximum size of the events that are kept, in MiB. The events of a day with millions of messages
    /// take some megabytes if receivers request all kinds of events. The limit matters if a receiver becomes
    /// unavailable and no operator notices.
    package var webhookOutboxMb = 256
    /// The sections that the gateways declare. Each gateway extends this type with properties for its own
    /// sections.
    package var gateways = GatewaySections()
    package var retry = RetryConfiguration()
    package var quarantine = QuarantineConfiguration()

    package init() {}
}

/// The retry calendar for deliveries that do not have their own: `nmac/retry`.
package struct RetryConfiguration: Equatable, Sendable {
    /// The number of retries on the first day. After the first day, there is one retry a day until the
    /// validity ends. Campaign's default.
    package var count = 5
    /// The interval between two attempts on the first day, in seconds. Campaign's default.
    package var periodSec = 3_600
    /// Whether a gateway's own minimum wait applies even if the period is shorter.
    package var minimumDelays = true
    /// The number of retries after a lost connection or a 5xx from FCM, before the calendar applies. Most
    /// such problems are over after a few seconds: with waits of 1, 2, 4 and 8 seconds, a message has five
    /// attempts within a quarter of a minute.
    package var fastCount = 4
    /// The wait before the first of these retries, in seconds. The wait doubles with each retry.
    package var fastDelaySec = 1

    package init() {}
}

/// The conditions under which a token is no longer used: `nmac/quarantine`.
package struct QuarantineConfiguration: Equatable, Sendable {
    /// The number of soft errors that put a token into quarantine. Campaign's default.
    package var maxErrors = 5
    /// If two errors occur within this time, in seconds, they count as one error. Campaign's default.
    package var significantErrorDelaySec = 86_400
    /// The largest plausible share of an app's devices with dead tokens. In old registries, up to 60 % of the
    /// tokens are dead.
    package var stormRatio = 0.65
    /// The minimum length of a run of dead tokens that stops an account.
    package var stormMinimum = 100
    /// How long verdicts about tokens are held back, in seconds. For most apps, the next deliveries bring
    /// answers within a day.
    package var holdDelaySec = 86_400
    /// The time in quarantine, in seconds, after which a subscriber is removed. 0 means never. Campaign has a
    /// separate option for this. A long period costs nothing but space, and the dead tokens of a list that is
    /// imported every quarter are still in quarantine at the next import.
    package var purgeDelaySec = 90 * 86_400

    package init() {}
}
