internal import PushModel
internal import PushStore
internal import PushSystem

/// Removes data that was kept for its full retention time. Used on the thread of ``StoreWriter`` when there
/// is nothing else to do; each step is one unit of bulk work. It looks for such data at the start, every
/// hour, and when the next delivery is due for removal. A look costs a few steps in indexes.
struct RetentionWorker {
    private let service: WriteService
    private let store: Store
    private let inbox: WriterInbox
    /// The retention rules. Changing them triggers a new look.
    var rules: RetentionRules { didSet { (kinds, nextStep) = ([], Clocks.monotonic()) } }
    /// The kinds of removable data that the last look found, without the kinds that were already removed.
    private var kinds: [RetentionKind] = []
    private var sums = RetentionSums()
    /// When the next step or the next look is due.
    private(set) var nextStep = Clocks.monotonic()

    /// The interval between looks: an hour, as a fraction of the day that the retention rules use.
    private var secondsBetweenLooks: Int64 { max(rules.secondsPerDay / 24, 1) }
    /// The pause between steps while messages are sent, so that outcomes of these messages can be written
    /// between two steps.
    private static let pauseMilliseconds: Int64 = 20

    init(_ inbox: WriterInbox, _ rules: RetentionRules) {
        (service, store) = (inbox.service, inbox.store)
        self.inbox = inbox
        self.rules = rules
    }

    /// - Returns: Whether another step may follow immediately.
    mutating func step() throws -> Bool {
        guard Clocks.monotonic() >= nextStep else { return false }
        let now = inbox.wall()
        guard let kind = kinds.first else {
            let look = try store.retention.look(rules, at: now)
            kinds = look.kinds
            if kinds.isEmpty { rest(until: look.nextEnd, now) }
            return !kinds.isEmpty
        }
        let (service, rules) = (service, rules)
        do throws(WriteService.Failure) {
            let step = try service.perform(.bulk, rows: RetentionWriter.rowsPerStep) {
                store throws(StoreError) in
                try store.retentionWriter.step(kind, rules, at: now)
            }
            sums += step.removed
            if !step.hasMore { kinds.removeFirst() }
            // Removed data may make other data removable.
            if kinds.isEmpty { tell() }
        } catch {
            guard case .setAside = error else { throw error }
            // The error was reported. Without this pause, it would be reported again each second.
            kinds = []
            rest(until: nil, now)
            return false
        }
        guard inbox.lastRecord.map({ Clocks.monotonic() < $0.advanced(bySeconds: 1) }) ?? false else {
            return true
        }
        nextStep = Clocks.monotonic().advanced(byMilliseconds: Self.pauseMilliseconds)
        return false
    }

    private mutating func rest(until end: WallMoment?, _ now: WallMoment) {
        let seconds =
            end.map { max(Int64($0.seconds(since: now).rounded(.up)), 1) } ?? secondsBetweenLooks
        nextStep = Clocks.monotonic().advanced(bySeconds: min(seconds, secondsBetweenLooks))
    }

    private mutating func tell() {
        if !sums.isEmpty {
            let what = sums.words { "\($0) \($0 == 1 ? $1 : $2)" }
            inbox.loop.send(.removed("removed after the retention period: \(what)"))
        }
        sums = RetentionSums()
    }
}
