internal import Logging
internal import PushConfig

/// The log of a service: lines on standard error, which whoever started it keeps.
enum ServiceLog {
    static func logger(level: DeliveryLogLevel) -> Logger {
        var logger = Logger(label: "pushmta") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel =
            switch level {
            case .error: .error
            case .warning: .warning
            case .info: .info
            }
        return logger
    }
}
