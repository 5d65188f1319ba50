internal import Dispatch
internal import Glibc
package import Logging
package import PushConfig
package import PushMaster
internal import PushModel
internal import PushSystem
internal import Synchronization

/// The log of a service: lines on standard error, which whoever started it keeps.
///
/// **Promises.** Who logs never waits: lines go into a ``LogQueue``, and a thread of its own writes them.
/// What finds no room is counted, and the count is a line. ``finish()`` waits a second at most.
package struct ServiceLog: Sendable {
    private let lines = Lines()
    private let thread: DedicatedThread
    private static let patienceAtEndMilliseconds: Int64 = 1_000

    package init(descriptor: Int32) throws(MasterError) {
        thread = try DedicatedThread(named: "log") { [lines] in
            lines.drain(into: LogWriter(descriptor: descriptor))
        }
    }

    package func logger(level: DeliveryLogLevel) -> Logger {
        var logger = Logger(label: "pushmta") { label in
            Handler(
                daily: StreamLogHandler(label: label, stream: Stream(lines: lines, isUrgent: false)),
                urgent: StreamLogHandler(label: label, stream: Stream(lines: lines, isUrgent: true)))
        }
        logger.logLevel =
            switch level {
            case .error: .error
            case .warning: .warning
            case .info: .info
            }
        return logger
    }

    /// A line that is not of the log, such as the last one of a command that failed.
    package func line(_ text: String) { lines.append(text + "\n", isUrgent: true) }

    /// Waits until all is written, but not for a reader who does not read.
    package func finish() {
        lines.finish()
        _ = thread.join(until: Clocks.monotonic().advanced(byMilliseconds: Self.patienceAtEndMilliseconds))
    }

    private struct Stream: TextOutputStream, Sendable {
        let lines: Lines
        let isUrgent: Bool
        mutating func write(_ text: String) { lines.append(text, isUrgent: isUrgent) }
    }

    /// swift-log's own lines, with room for the worst ones.
    private struct Handler: LogHandler {
        var daily: StreamLogHandler
        var urgent: StreamLogHandler

        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata {
            get { daily.metadata }
            set { (daily.metadata, urgent.metadata) = (newValue, newValue) }
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { daily[metadataKey: key] }
            set { (daily[metadataKey: key], urgent[metadataKey: key]) = (newValue, newValue) }
        }

        func log(event: LogEvent) {
            (event.level >= .error ? urgent : daily).log(event: event)
        }
    }
}

/// What the threads that log and the one that writes have in common.
private final class Lines: Sendable {
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    private struct State {
        var queue = LogQueue()
        var isFinishing = false
    }

    func append(_ text: String, isUrgent: Bool) {
        let wasEmpty = state.withLock { state in
            defer { state.queue.append(text, isUrgent: isUrgent) }
            return state.queue.isEmpty
        }
        if wasEmpty { wake.signal() }
    }

    func finish() {
        state.withLock { $0.isFinishing = true }
        wake.signal()
    }

    /// Until all is written after the order to finish.
    func drain(into writer: LogWriter) {
        while true {
            wake.wait()
            let (entries, isFinishing) = state.withLock { ($0.queue.take(), $0.isFinishing) }
            for entry in entries {
                let (text, count) =
                    switch entry {
                    case .line(let text): (text, 1)
                    case .dropped(let count):
                        ("pushmta: \(count) lines were dropped: nobody read the log fast enough\n", count)
                    }
                if !writer.write(text) { state.withLock { $0.queue.lose(count) } }
            }
            if isFinishing { return }
        }
    }
}

/// Writes a log's lines whole, and waits as long as the reader does.
private struct LogWriter {
    let descriptor: Int32

    /// - Returns: false where the line cannot be written: the reader is gone, or the disk is full.
    func write(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            // Unsafe because write(2) takes a pointer: it stays within the array's own bytes.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
            }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe _ = poll(&item, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
