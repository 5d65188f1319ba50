/// The gateways: `nmac`.
package struct NMACConfiguration: Equatable, Sendable {
    /// Gateways are reached through `shared/proxyConfig`. Campaign's default is directly.
    package var useHTTPProxy = false
    /// After the end of a delivery: as long as a month's deliveries are asked about. 0: for ever.
    package var retentionDays = 30
    /// As long as a receiver may be away over a holiday.
    package var webhookDays = 7
    /// A day of millions of messages takes some megabytes where receivers want everything; this is for one
    /// that went away unnoticed.
    package var webhookOutboxMb = 256
    /// What the gateways declare; each has properties of its own here.
    package var gateways = GatewaySections()
    package var retry = RetryConfiguration()
    package var quarantine = QuarantineConfiguration()

    package init() {}
}

/// The retry calendar, where a delivery does not bring its own: `nmac/retry`.
package struct RetryConfiguration: Equatable, Sendable {
    /// On the first day; after it once a day until validity ends. Campaign's default.
    package var count = 5
    /// Between two attempts of the first day. Campaign's default.
    package var periodSec = 3_600
    /// A gateway's own minimum wait is kept even if the period is shorter.
    package var minimumDelays = true
    /// Retries before the calendar, after a lost connection or a 5xx of FCM. Most such troubles are over after some
    /// seconds: with the waits of 1, 2, 4 and 8 seconds a message has five attempts within a quarter of a minute.
    package var fastCount = 4
    /// Before the first of these; it doubles with each.
    package var fastDelaySec = 1

    package init() {}
}

/// When a token is no longer sent to: `nmac/quarantine`.
package struct QuarantineConfiguration: Equatable, Sendable {
    /// Soft errors. Campaign's default.
    package var maxErrors = 5
    /// Two errors nearer than this count as one. Campaign's default.
    package var significantErrorDelaySec = 86_400
    /// The largest share of an app's devices that may be dead: old registries have lost up to 60 % of theirs.
    package var stormRatio = 0.65
    /// A shorter run of dead tokens stops no account.
    package var stormMinimum = 100
    /// The next deliveries of most apps bring answers within a day.
    package var holdDelaySec = 86_400
    /// Then the subscriber is removed. Campaign has an option of its own for it; nothing is lost by patience
    /// but space, and a list that is imported each quarter finds its dead tokens still in quarantine. 0:
    /// never.
    package var purgeDelaySec = 90 * 86_400

    package init() {}
}
