internal import PushModel
internal import PushStore
internal import PushWire

/// Records outcomes of messages in the store.
final class RecordStage: Stage {
    /// The number of messages in a round: a fifth of a part.
    static let messagesPerRound = 980
    private static let oneRetriedIn = 100
    private let store: StageStore
    private var next: Int64 = 1
    private var batch = OutcomeBatch(delivery: StageStore.delivery)

    static func fill(_ folder: String, messages: Int) throws {
        let store = try StageStore(folder)
        try store.submitToAll(try store.subscribe(messages))
        var turns = PreparationTurns()
        while try !store.store.preparation.prepareNext(&turns, at: StageStore.noon).isEmpty {}
    }

    init(_ folder: String, messages: Int) throws { store = try StageStore(folder) }

    func prepareRound() {
        batch = OutcomeBatch(delivery: StageStore.delivery)
        for _ in 0..<Self.messagesPerRound {
            let message = MessageID(rawValue: next)
            next += 1
            guard message.rawValue % Int64(Self.oneRetriedIn) == 0 else {
                batch.accepted.append(message)
                continue
            }
            let due = StageStore.noon.time.advanced(bySeconds: 60)
            batch.others.append(
                MessageRecord(
                    message: message,
                    change: .retrying(due: due, .soft, .unreachable, providerReason: "TooManyRequests"),
                    countsAttempt: true))
        }
    }

    func runRound() throws {
        let result = try store.store.outcomes.record([batch], at: StageStore.noon)
        guard result.faults.isEmpty else {
            throw StageError("the store did not record all outcomes: \(result.faults)")
        }
    }

    func check() throws {
        let counts = try store.counts()
        guard counts.sent + counts.retrying == Int(next) - 1 else {
            throw StageError("there are \(next - 1) outcomes, but the store has \(counts)")
        }
    }
}

/// Prepares the parts of a delivery from its target.
final class PrepareStage: Stage {
    /// The number of messages in a round: one part.
    static let messagesPerRound = 4_900
    private let store: StageStore
    private var turns = PreparationTurns()

    static func fill(_ folder: String, messages: Int) throws {
        let store = try StageStore(folder)
        try store.submitToAll(try store.subscribe(messages))
    }

    init(_ folder: String, messages: Int) throws { store = try StageStore(folder) }

    func runRound() throws {
        let steps = try store.store.preparation.prepareNext(&turns, at: StageStore.noon)
        guard steps.reduce(0, { $0 + $1.step.rows }) == Self.messagesPerRound else {
            throw StageError("unexpected chunk of \(steps.map(\.step.rows)) messages")
        }
    }
}

/// Imports rows of a subscriber file into the store.
final class ImportStage: Stage {
    static let messagesPerRound = 20_000
    private let store: StageStore
    private let app: App
    private var file = SubscriberFile(.csv, platform: .ios, declared: [])
    private var rows = Array("registrationToken,userKey\n".utf8)
    private var (next, inserted) = (0, 0)

    static func fill(_ folder: String, messages: Int) throws {
        _ = try StageStore(folder).subscribe(0)
    }

    init(_ folder: String, messages: Int) throws {
        store = try StageStore(folder)
        app = try store.app()
    }

    func prepareRound() {
        if next > 0 { rows.removeAll(keepingCapacity: true) }
        for _ in 0..<Self.messagesPerRound {
            rows += "\(StageStore.token(next)),\(StageStore.userKey(next))\n".utf8
            next += 1
        }
    }

    func runRound() throws {
        var batch = SubscriberBatch()
        let bytes = rows
        try file.feed(bytes.span, into: &batch)
        let counts = try store.store.subscriberImporter.upsert(
            batch.records, into: app.id, at: StageStore.noon, registers: false)
        inserted += counts.inserted
    }

    func check() throws {
        guard inserted == next else { throw StageError("only \(inserted) of \(next) rows were new") }
    }
}
