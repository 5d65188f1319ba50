internal import PushConfig
internal import PushModel
package import PushStore
package import PushWire
internal import Synchronization

/// Records the reports that devices send to `/r/`. One instance exists as long as the process serves devices.
///
/// A report is accepted if its id decrypts to an existing message. Any other report is counted and is not an
/// error: apps send ids that they find in old notifications, and a caller that invents ids must not learn
/// which ids exist.
///
/// **Promises.** A report is on disk before it is answered as recorded.
package final class RecordHit: Sendable {
    package enum Answer: Equatable, Sendable {
        case recorded(HitEnd)
        /// The report names no existing message.
        case unknown
        /// This process does not record reports, because of `trackinglogd/@autoStart`.
        case off
        /// Too many reports wait to be written.
        case busy
        /// The report could not be written.
        case failed

        /// The HTTP status of this answer. The SDKs ignore it.
        package var httpStatus: Int {
            switch self {
            case .recorded, .unknown, .off: 200
            case .busy: 503
            case .failed: 500
            }
        }
    }

    /// The counts since this process started.
    package struct Counts: Equatable, Sendable {
        package var first = 0
        package var repeated = 0
        /// Malformed reports, keyed by the reason why they could not be looked up.
        package var malformed: [TrackingReader.Unknown: Int] = [:]
        /// Well-formed reports whose messages do not exist.
        package var unknown = 0
        package var refused = 0
    }

    private let directory: HitDirectory
    private let writer: WriteService
    private let activity: ActivityNotes
    private let clock: OperationsClock
    private let isOn: Bool
    private let reads = BlockingReads()
    private let tally = Mutex(Counts())
    private let ignored = Mutex(IgnoredReports())
    private let report: @Sendable (String) -> Void
    private let devices: DeviceWatch

    package var counts: Counts { tally.withLock { $0 } }

    /// - Parameters:
    ///   - writer: The write service of the process that serves devices.
    ///   - report: Receives lines for the log, at most one per hour.
    package init(
        _ operations: Operations, writer: WriteService,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(StoreError) {
        directory = HitDirectory(
            operations.store.hitReader, MessageIDCipher(key: try operations.key()))
        clock = operations.clock
        isOn = operations.settings.trackinglogd.autoStart
        self.writer = writer
        activity = ActivityNotes(writer)
        self.report = report
        devices = operations.registrationCache.devices
    }

    /// - Parameter query: The text after the question mark.
    nonisolated(nonsending) package func perform(query: some Collection<UInt8>) async -> Answer {
        guard isOn else { return .off }
        let hit: TrackingHit
        do throws(TrackingReader.Unknown) { hit = try TrackingReader.read(query: query) } catch {
            tally.withLock { $0.malformed[error, default: 0] += 1 }
            note(error.reason)
            return .unknown
        }
        let answer = await record(hit)
        count(answer)
        return answer
    }

    /// Records a report without an asynchronous task, if this is possible without reading from the store.
    /// - Parameter then: Called once, possibly on another thread. If this method returns `false`, nothing was
    ///   done, and `then` is not called.
    package func performAtOnce(
        query: some Collection<UInt8>, then: @escaping @Sendable (Answer) -> Void
    ) -> Bool {
        guard isOn, let hit = try? TrackingReader.read(query: query) else { return false }
        switch directory.known(hit, at: clock.moment()) {
        case .unread: return false
        case .noMessage:
            count(.unknown)
            then(.unknown)
        case .message(let record):
            writer.record(record) { [self] result in
                let answer = answer(to: record, result)
                count(answer)
                then(answer)
            }
        }
        return true
    }

    /// - Parameter reason: The reason why a report is not recorded; `nil` for a report that is recorded.
    private func note(_ reason: String?) {
        if let reason { devices.note(ignoredReport: reason) }
        if let line = ignored.withLock({ $0.note(reason, at: clock.monotonic()) }) { report(line) }
    }

    private func count(_ answer: Answer) {
        note(answer == .unknown ? "the store has no such message" : nil)
        tally.withLock { counts in
            switch answer {
            case .recorded(.first): counts.first += 1
            case .recorded: counts.repeated += 1
            case .unknown: counts.unknown += 1
            case .busy, .failed, .off: counts.refused += 1
            }
        }
    }

    nonisolated(nonsending) private func record(_ hit: TrackingHit) async -> Answer {
        let now = clock.moment()
        var record: HitRecord?
        switch directory.known(hit, at: now) {
        case .message(let known): record = known
        case .noMessage: break
        case .unread:
            let directory = directory
            do { record = try await reads.run { try directory.find(hit, at: now) } } catch {
                return OperationError(error).kind == .unavailable ? .busy : .failed
            }
        }
        guard let record else { return .unknown }
        do throws(WriteService.Failure) {
            return answer(to: record, .success(try await writer.record(record)))
        } catch {
            return answer(to: record, .failure(error))
        }
    }

    private func answer(to hit: HitRecord, _ result: Result<HitEnd, WriteService.Failure>) -> Answer {
        switch result {
        case .success(.removed):
            directory.forget(hit.delivery)
            return .unknown
        case .success(let end):
            activity.note(hit)
            return .recorded(end)
        case .failure(let error): return error.isBusy ? .busy : .failed
        }
    }
}

/// Counts reports that are not recorded, and formulates a log line about them at most once an hour. The
/// counts of a burst that ends within the hour are in a line that the next report of any kind causes.
private struct IgnoredReports {
    private static let secondsBetweenLines: Int64 = 3_600

    private var counts: [String: Int] = [:]
    private var reported: MonotonicTime?

    /// - Parameters:
    ///   - reason: `nil` for a report that is recorded.
    ///   - now: Evaluated only if there are counts, which is rare for a report that is recorded.
    /// - Returns: A line for the log, if one is due.
    mutating func note(_ reason: String?, at now: @autoclosure () -> MonotonicTime) -> String? {
        if let reason { counts[reason, default: 0] += 1 }
        guard !counts.isEmpty else { return nil }
        let now = now()
        var period = ""
        if let reported {
            guard now >= reported.advanced(bySeconds: Self.secondsBetweenLines) else { return nil }
            period = " in \(Numerals.count(Int(now.milliseconds(since: reported) / 60_000), "minute"))"
        }
        let reasons = counts.sorted { $0.key < $1.key }.map { "\(Numerals.grouped($0.value)): \($0.key)" }
        let total = counts.values.reduce(0, +)
        (counts, reported) = ([:], now)
        return
            """
            \(Numerals.count(total, "report")) to /r/ not recorded\(period) \
            (\(reasons.joined(separator: "; "))); compare what the app sends with \
            /r/?id=h<_mId>,<_dId>,<tag>; the next such line follows in an hour at the earliest, and \
            pushmta_hits_total of /metrics counts every report
            """
    }
}

extension TrackingReader.Unknown {
    fileprivate var reason: String {
        switch self {
        case .noID: "not exactly one id"
        case .form: "the id is not h and three values separated by commas"
        case .message: "the message is neither hex nor a UUID"
        case .delivery: "the delivery is not a number"
        case .tag: "the tag is neither 1 nor 2"
        case .tooLong: "the query is too long"
        }
    }
}
