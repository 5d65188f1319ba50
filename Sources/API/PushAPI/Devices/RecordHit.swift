internal import PushConfig
internal import PushModel
package import PushStore
package import PushWire
internal import Synchronization

/// Records what a device reports by `/r/`. Lives as long as its process serves devices.
///
/// A report is believed where its id decrypts to a message that there is; any other is counted and is no error:
/// apps send what they find in old notifications, and whoever makes ids up is told nothing.
///
/// **Promises.** When it answers that a report is recorded, that is on disk.
package final class RecordHit: Sendable {
    package enum Answer: Equatable, Sendable {
        case recorded(HitEnd)
        /// It names no message that is there.
        case unknown
        /// Reports are not recorded here: `trackinglogd/@autoStart`.
        case off
        /// More wait to be written than is good.
        case busy
        /// It could not be written.
        case failed

        /// The SDKs do nothing about any answer.
        package var httpStatus: Int {
            switch self {
            case .recorded, .unknown, .off: 200
            case .busy: 503
            case .failed: 500
            }
        }
    }

    /// What has come since this process began.
    package struct Counts: Equatable, Sendable {
        package var first = 0
        package var repeated = 0
        /// By why nobody could look them up.
        package var malformed: [TrackingReader.Unknown: Int] = [:]
        /// They looked well, and there is no such message.
        package var unknown = 0
        package var refused = 0
    }

    private let directory: HitDirectory
    private let writer: WriteService
    private let clock: OperationsClock
    private let isOn: Bool
    private let reads = BlockingReads()
    private let tally = Mutex(Counts())

    package var counts: Counts { tally.withLock { $0 } }

    /// - Parameter writer: of the process that serves devices.
    package init(_ operations: Operations, writer: WriteService) throws(StoreError) {
        directory = HitDirectory(
            operations.store.hitReader, MessageIDCipher(key: try operations.key()))
        clock = operations.clock
        isOn = operations.settings.trackinglogd.autoStart
        self.writer = writer
    }

    /// - Parameter query: what follows the question mark.
    nonisolated(nonsending) package func perform(query: some Collection<UInt8>) async -> Answer {
        guard isOn else { return .off }
        let hit: TrackingHit
        do throws(TrackingReader.Unknown) { hit = try TrackingReader.read(query: query) } catch {
            tally.withLock { $0.malformed[error, default: 0] += 1 }
            return .unknown
        }
        let answer = await record(hit)
        count(answer)
        return answer
    }

    /// The same without a task, where nothing has to be read for it.
    /// - Parameter then: told once, perhaps on another thread, unless this returns false: then nothing was done.
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
                let answer = answer(to: hit, result)
                count(answer)
                then(answer)
            }
        }
        return true
    }

    private func count(_ answer: Answer) {
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
            return answer(to: hit, .success(try await writer.record(record)))
        } catch {
            return answer(to: hit, .failure(error))
        }
    }

    private func answer(to hit: TrackingHit, _ result: Result<HitEnd, WriteService.Failure>) -> Answer {
        switch result {
        case .success(.removed):
            directory.forget(hit.delivery)
            return .unknown
        case .success(let end): return .recorded(end)
        case .failure(let error): return error.isBusy ? .busy : .failed
        }
    }
}
