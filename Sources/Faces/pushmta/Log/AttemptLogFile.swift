internal import Dispatch
package import Logging
internal import PushAPI
package import PushMaster
package import PushModel
internal import PushSystem
internal import Synchronization

/// The log of deliveries: one line for each attempt to send a message, in its own file (`mta/@deliveryLog`).
///
/// **Promises.** A thread that reports attempts never waits. Lines for which there is no room are dropped and
/// counted, and the count is written as a line to the file and to the service's log. Without a file, nothing
/// is kept. **Failures.** Lines that cannot be written are lost and counted.
package final class AttemptLogFile: AttemptLog, ServicePart {
    package let stages: Set<ServiceStage> = [.opened]
    package let drainMilliseconds: Int64 = 1_000

    /// An open file that can receive log lines.
    package final class Destination: Sendable {
        fileprivate let path: String
        private let file: Mutex<RotatingFile>

        /// - Throws: An error if the file cannot be written.
        package init(path: String, maximumBytes: Int = RotatingFile.usualBytes) throws {
            self.path = path
            file = Mutex(try RotatingFile(path: path, maximumBytes: maximumBytes))
        }

        fileprivate func write(_ lines: [UInt8]) -> Bool { file.withLock { $0.write(lines) } }
        fileprivate func reopen() { file.withLock { $0.reopen() } }
    }

    private struct State {
        var destination: Destination?
        var queue = AttemptLogQueue()
        var isFinishing = false
        var isToReopen = false
        /// Whether the thread has been woken to look for work.
        var isAwake = false
        var thread: DedicatedThread?
    }

    private let format: LogFormat
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let logger: Logger
    /// The number of bytes written at once.
    private static let chunkBytes = 256 << 10

    /// - Parameter logger: The log in which an operator is notified of missing lines.
    package init(_ format: LogFormat, logger: Logger) {
        self.format = format
        self.logger = logger
    }

    /// Opens the file that the settings name, unless it is already open. Log lines are written to it only
    /// after `write(to:)`.
    /// - Parameter path: The path of the file; `nil` if there is none.
    /// - Throws: An error if the file cannot be written, or the writing thread cannot be started.
    package func prepare(_ path: String?) throws -> Destination? {
        guard let path else { return nil }
        if state.withLock({ $0.thread == nil }) {
            let thread = try DedicatedThread(named: "delivery log") { [self] in writeAll() }
            state.withLock { $0.thread = thread }
        }
        if let present = state.withLock(\.destination), present.path == path { return present }
        do { return try Destination(path: path) } catch let error as LogFileError {
            throw OperationError.failed(
                "cannot write the delivery log \(path): \(SystemErrorText.of(error.errorNumber)); name "
                    + "another file in mta/@deliveryLog")
        }
    }

    /// Sends all log lines to the given destination from now on; `nil` discards them.
    package func write(to destination: Destination?) { state.withLock { $0.destination = destination } }

    /// The path of the current file; `nil` if there is none.
    var path: String? { state.withLock { $0.destination?.path } }

    /// Closes the file and opens it by name again, as ``ServiceLog/reopen()`` does. Does not wait.
    package func reopen() {
        state.withLock { $0.isToReopen = true }
        wake.signal()
    }

    package func append(_ groups: [AttemptGroup]) {
        let time = Clocks.moment()
        let wakes = state.withLock { state in
            guard state.destination != nil else { return false }
            state.queue.append(groups, at: time)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if wakes { wake.signal() }
    }

    /// Does nothing: the thread starts with the first file.
    package func start() {}
    package func stop() {}

    /// Waits until all lines are written, but no longer than the deadline if the disk does not accept them.
    package func drain(until deadline: MonotonicTime) -> Bool {
        let thread = state.withLock { state in
            state.isFinishing = true
            return state.thread
        }
        wake.signal()
        return thread?.join(until: deadline) ?? true
    }

    private func writeAll() {
        var losses = Losses()
        while true {
            wake.wait()
            let (entries, dropped, destination, isFinishing, isToReopen) = state.withLock { state in
                state.isAwake = false
                let (entries, dropped) = state.queue.take()
                defer { state.isToReopen = false }
                return (entries, dropped, state.destination, state.isFinishing, state.isToReopen)
            }
            if let destination {
                losses.unreported += dropped + write(entries, to: destination)
                if losses.mustBeReported(isLast: isFinishing) { tell(losses.take(), of: destination) }
            }
            if isFinishing { return }
            if isToReopen { destination?.reopen() }
        }
    }

    /// The missing lines that have not been reported. The first loss is reported immediately; later losses
    /// are collected for a while.
    private struct Losses {
        var unreported = 0
        private var told: MonotonicTime?
        private static let secondsBetween: Int64 = 10

        func mustBeReported(isLast: Bool) -> Bool {
            guard unreported > 0, !isLast, let told else { return unreported > 0 }
            return Clocks.monotonic() >= told.advanced(bySeconds: Self.secondsBetween)
        }

        mutating func take() -> Int {
            told = Clocks.monotonic()
            defer { unreported = 0 }
            return unreported
        }
    }

    /// - Returns: The number of lines that were not written to the file.
    private func write(_ entries: [AttemptLogQueue.Entry], to destination: Destination) -> Int {
        var lost = 0
        var (lines, count) = ([] as [UInt8], 0)
        func flush() {
            if !lines.isEmpty, !destination.write(lines) { lost += count }
            lines.removeAll(keepingCapacity: true)
            count = 0
        }
        for entry in entries {
            let group = AttemptLines(of: entry.group, at: entry.time, as: format)
            for index in group.indices {
                group.append(index, to: &lines)
                count += 1
                if lines.count >= Self.chunkBytes { flush() }
            }
        }
        flush()
        return lost
    }

    private func tell(_ lost: Int, of destination: Destination) {
        let pairs = [("time", Clocks.moment().utcText), ("dropped", "\(lost)")]
        _ = destination.write(Array(format.line(of: pairs).utf8))
        logger.warning(
            """
            \(lost) lines of the delivery log were dropped: writing to \(destination.path) fails or is too \
            slow; check its disk, or name another file in mta/@deliveryLog
            """
        )
    }
}

/// A bounded queue of entries that wait to be written. The type is pure.
package struct AttemptLogQueue {
    package struct Entry: Equatable {
        package var time: WallMoment
        package var group: AttemptGroup
    }

    /// The maximum number of messages in the queue: the messages that one machine sends in a few seconds.
    /// Each message usually takes eight bytes in the queue.
    package static let maxMessages = 100_000

    private var entries: [Entry] = []
    private var messages = 0
    private var dropped = 0

    package init() {}

    package mutating func append(_ groups: [AttemptGroup], at time: WallMoment) {
        for group in groups {
            guard messages + group.messages.count <= Self.maxMessages else {
                dropped += group.messages.count
                continue
            }
            messages += group.messages.count
            entries.append(Entry(time: time, group: group))
        }
    }

    /// Returns the waiting entries, and the number of messages dropped since the last call.
    package mutating func take() -> (entries: [Entry], dropped: Int) {
        defer { (entries, messages, dropped) = ([], 0, 0) }
        return (entries, dropped)
    }
}

/// The lines of a group, one for each attempt. The lines are written as bytes, because there is a line for
/// every message sent and only the numbers in it differ.
package struct AttemptLines {
    private let group: AttemptGroup
    private let beforeMessage: [UInt8]
    private let beforeAttempts: [UInt8]
    private let afterNumber: [UInt8]
    private let closing: [UInt8]

    package init(of group: AttemptGroup, at time: WallMoment, as format: LogFormat) {
        self.group = group
        let common = [
            ("time", time.utcText), ("delivery", "\(group.delivery)"), ("app", group.app),
            ("account", group.account), ("outcome", group.outcome.rawValue),
        ]
        let reason = group.reason.isEmpty ? [] : [("reason", group.reason)]
        let (message, after) = format.around("message")
        beforeMessage = Array(
            (format.opening + format.members(common + reason) + format.separator + message).utf8)
        beforeAttempts = Array((format.separator + format.around("attempts").before).utf8)
        afterNumber = Array(after.utf8)
        closing = Array(format.closing.utf8)
    }

    package var indices: Range<Int> { group.messages.indices }

    package func append(_ index: Int, to lines: inout [UInt8]) {
        lines += beforeMessage
        lines += String(group.messages[index].rawValue).utf8
        lines += afterNumber
        if let attempts = group.attempts.count == 1 ? group.attempts[0] : group.attempts[index] {
            lines += beforeAttempts
            lines += String(attempts).utf8
            lines += afterNumber
        }
        lines += closing
    }
}
