internal import Dispatch
internal import PushModel
internal import PushStore
internal import Synchronization

/// Counts registrations with integration keys that no app has, writes the counts to the store, and formulates
/// a log line about them at most once an hour.
///
/// Devices choose the keys and send as many requests as they want. The counts are therefore limited
/// (``PushStore/UnknownKeyCounts``), and they are written together, at most once in ``secondsBetweenWrites``.
final class UnknownKeyReports: Sendable {
    private struct State {
        var counts = UnknownKeyCounts()
        /// Whether a write is running or will begin.
        var isWriting = false
        var written: MonotonicTime?
        var sinceReport = HourlyCount()
    }

    private static let secondsBetweenWrites: Int64 = 2

    private let writer: WriteService
    private let clock: OperationsClock
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "unknown integration keys")

    init(_ writer: WriteService, _ clock: OperationsClock, report: @escaping @Sendable (String) -> Void) {
        (self.writer, self.clock, self.report) = (writer, clock, report)
    }

    func note(_ key: String, _ platform: Platform) {
        let (moment, now) = (clock.moment().time, clock.monotonic())
        let key = UnknownKeyCounts.Key(platform, key)
        let (line, delay) = state.withLock { state -> (String?, Int64?) in
            state.counts.note(key, at: moment)
            let line = state.sinceReport.add(at: now).map { Self.line(about: $0, key) }
            guard !state.isWriting else { return (line, nil) }
            state.isWriting = true
            let isDue =
                state.written.map { now >= $0.advanced(bySeconds: Self.secondsBetweenWrites) } ?? true
            return (line, isDue ? 0 : Self.secondsBetweenWrites)
        }
        if let line { report(line) }
        guard let delay else { return }
        guard delay > 0 else { return write() }
        queue.asyncAfter(deadline: .now() + .seconds(Int(delay))) { [weak self] in self?.write() }
    }

    private func write() {
        let (now, moment) = (clock.monotonic(), clock.moment().time)
        let counts = state.withLock { state in
            defer { (state.counts, state.isWriting, state.written) = (UnknownKeyCounts(), false, now) }
            return state.counts
        }
        // Counts that cannot be written are lost. They only help operators to find a mistake.
        writer.submit(.hits, rows: UnknownKeyWriter.rowsPerCall) { store throws(StoreError) in
            try store.unknownKeyWriter.add(counts, at: moment)
        } completion: { _ in
        }
    }

    private static func line(about registrations: Int, _ key: UnknownKeyCounts.Key) -> String {
        """
        \(HourlyCount.subject(registrations)) an integration key that no app has, the last one \(key.text) \
        of platform \(key.platform); compare the key in the app with the output of 'pushmta app show'; the \
        next such line follows in an hour at the earliest, and 'pushmta app unknown-keys' shows the keys and \
        counts
        """
    }
}
