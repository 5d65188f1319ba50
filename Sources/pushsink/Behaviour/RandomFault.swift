/// What may go wrong by itself: the names of `--fault-kinds` and of the summary's `faults`.
package enum RandomFault: String, CaseIterable, Sendable {
    // HTTP
    /// GOAWAY with a reason; a stream in the middle of those that wait is the last one processed.
    case goAway = "goaway"
    /// The same, announced with 2^31-1.
    case gracefulGoAway = "goaway-graceful"
    /// One concurrent stream for a while, then as many as before.
    case narrow
    /// REFUSED_STREAM on a few streams.
    case refuse
    /// The next bytes one by one.
    case drip
    /// A few answers come late.
    case slow
    /// Bursts of answers; some say when to come back.
    case tooMany = "429"
    case internalError = "500"
    case unavailable = "503"

    // Binary gateway
    case shutdown
    case processingError = "processing-error"
    case garbage
    case halfPacket = "half-packet"
    case stranger

    // Both
    case reset
    case close
    case halfOpen = "half-open"
    /// The handshake is broken off.
    case tls

    /// Those that requests on such a port may meet.
    static func known(to dialect: RuleDialect) -> [RandomFault] {
        switch dialect {
        case .apns, .fcm:
            [
                .goAway, .gracefulGoAway, .narrow, .refuse, .drip, .slow, .tooMany, .internalError,
                .unavailable,
                .reset, .close, .halfOpen,
            ]
        case .binary:
            [.shutdown, .processingError, .garbage, .halfPacket, .stranger, .reset, .close, .halfOpen]
        case .oauth: []
        }
    }
}
