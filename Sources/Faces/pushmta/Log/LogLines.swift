internal import Dispatch
internal import Logging
internal import PushModel
internal import PushSystem
internal import Synchronization

/// The state that the logging threads share with the writing thread.
final class LogLines: Sendable {
    private let format: LogFormat
    private let isForJournal: Bool
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    /// The maximum time, in seconds, from the end of a minute until the count of the lines that were repeated
    /// in it is reported.
    private static let secondsBetweenCounts = 10

    private struct State {
        var queue = LogQueue()
        var repeats = RepeatFilter()
        var level = Logger.Level.info
        var isFinishing = false
        var isToReopen = false
        /// Whether the writing thread has been woken to look for work.
        var isAwake = false
    }

    init(_ format: LogFormat, isForJournal: Bool) {
        (self.format, self.isForJournal) = (format, isForJournal)
    }

    private func line(of record: LogRecord) -> String {
        format.line(of: record, isForJournal: isForJournal)
    }

    var level: Logger.Level {
        get { state.withLock(\.level) }
        set { state.withLock { $0.level = newValue } }
    }

    func append(_ record: LogRecord) {
        let wakes = state.withLock { state in
            if let said = state.repeats.take(record) {
                state.queue.append(line(of: said), isUrgent: said.level >= .error)
            }
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if wakes { wake.signal() }
    }

    func finish() {
        state.withLock { $0.isFinishing = true }
        wake.signal()
    }

    /// Requests that the file be opened by name again after the lines logged so far have been written.
    func reopen() {
        state.withLock { $0.isToReopen = true }
        wake.signal()
    }

    /// Writes lines until the order to finish has arrived and all lines are written.
    /// - Parameters:
    ///   - write: Returns `false` if lines are lost.
    ///   - reopen: See ``reopen()``.
    func drain(_ write: ([UInt8]) -> Bool, reopen: () -> Void = {}) {
        while true {
            let counts = state.withLock(\.repeats.hasUnreported)
            _ = wake.wait(
                timeout: counts ? .now() + .seconds(Self.secondsBetweenCounts) : .distantFuture)
            let (entries, isFinishing, isToReopen) = state.withLock { state in
                for record in state.repeats.tell(at: Clocks.moment(), all: state.isFinishing) {
                    state.queue.append(line(of: record), isUrgent: false)
                }
                state.isAwake = false
                defer { state.isToReopen = false }
                return (state.queue.take(), state.isFinishing, state.isToReopen)
            }
            for entry in entries {
                let (text, count) =
                    switch entry {
                    case .line(let text): (text, 1)
                    case .dropped(let count): (line(of: .dropped(count)), count)
                    }
                if !write(Array(text.utf8)) { state.withLock { $0.queue.lose(count) } }
            }
            if isFinishing { return }
            if isToReopen { reopen() }
        }
    }
}

extension LogRecord {
    fileprivate static func dropped(_ count: Int) -> LogRecord {
        LogRecord(
            time: Clocks.moment(), level: .warning,
            message: """
                \(count) lines were dropped: the log was not read fast enough; read it faster, or lower \
                mta/@logLevel
                """)
    }
}
