internal import Dispatch
internal import Glibc
package import Logging
package import PushConfig
internal import PushMaster
internal import PushModel
internal import PushSystem
internal import Synchronization

/// The log of a service: one line per event, in a file or on standard error. The process that started the
/// service must store what the service writes to standard error.
///
/// **Promises.** A thread that logs never waits: lines are put into a ``LogQueue``, and a separate thread
/// writes them. Lines for which there is no room are counted, and so are events that repeat within a minute
/// (``RepeatFilter``). The counts are logged. ``finish()`` waits for at most one second.
package struct ServiceLog: Sendable {
    package enum Destination: Sendable {
        case descriptor(Int32)
        case file(String)
    }

    private let lines: LogLines
    private let thread: DedicatedThread
    let format: LogFormat
    /// The path of the file; `nil` if the log is not written to a file.
    let path: String?
    private static let patienceAtEndMilliseconds: Int64 = 1_000

    /// - Throws: An error if the file cannot be written, or the thread cannot be started.
    package init(to destination: Destination, format: LogFormat) throws {
        var isForJournal = false
        if case .descriptor(let descriptor) = destination {
            isForJournal = JournalStream.isBehind(descriptor)
        }
        let lines = LogLines(format, isForJournal: isForJournal)
        self.lines = lines
        self.format = format
        switch destination {
        case .descriptor(let descriptor):
            path = nil
            thread = try DedicatedThread(named: "log") {
                lines.drain { DescriptorWriter.write($0, to: descriptor) }
            }
        case .file(let path):
            let file = Mutex(try RotatingFile(path: path))
            self.path = path
            thread = try DedicatedThread(named: "log") {
                lines.drain {
                    bytes in
                    file.withLock { $0.write(bytes) }
                } reopen: {
                    file.withLock { $0.reopen() }
                }
            }
        }
    }

    /// - Parameter level: The level of the events that are logged, until ``setLevel(_:)`` changes it.
    package func logger(level: ServiceLogLevel) -> Logger {
        setLevel(level)
        return Logger(label: "pushmta") { _ in Handler(lines: lines) }
    }

    /// Sets the level of all loggers of this log.
    package func setLevel(_ level: ServiceLogLevel) {
        lines.level =
            switch level {
            case .error: .error
            case .warning: .warning
            case .info: .info
            }
    }

    /// Closes the file and opens it by name again; by then the name may belong to a different file. This is
    /// the effect of SIGHUP that logrotate expects. The method does not wait.
    package func reopen() { lines.reopen() }

    /// Logs the failure that ended the service, regardless of the level.
    package func failure(_ text: String) {
        lines.append(LogRecord(time: Clocks.moment(), level: .critical, message: text))
    }

    /// Waits until all lines are written, but no longer than one second, because the reader may not be
    /// reading.
    package func finish() {
        lines.finish()
        _ = thread.join(until: Clocks.monotonic().advanced(byMilliseconds: Self.patienceAtEndMilliseconds))
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        /// The level of the whole log, which can be changed while loggers are in use.
        var logLevel: Logger.Level {
            get { lines.level }
            set { lines.level = newValue }
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = metadata.merging(event.metadata ?? [:]) { _, own in own }
                .map { LogRecord.Field($0.key, "\($0.value)") }.sorted { $0.name < $1.name }
            lines.append(
                LogRecord(
                    time: Clocks.moment(), level: event.level, message: "\(event.message)", fields: fields))
        }
    }
}
