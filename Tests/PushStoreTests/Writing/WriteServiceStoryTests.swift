import Foundation
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

/// Tests each error of the table, at each place of a transaction, in the middle of arbitrary work.
@Suite(.eachEngine) struct WriteServiceStoryTests {
    static let errors: [StoreError.Cause] = [
        .diskFull, .busy, .corrupt(what: "a page"), .sqlite(code: 10, during: "write"),
        .sqlite(code: 17, during: "write"), .sqlite(code: 1, during: "write"),
        .sqlite(code: 275, during: "write"),
        .unreadableValue(during: "write"), .unknown(.app, name: "x"),
    ]

    @Test(arguments: errors, FaultyEngine.Place.allCases)
    func `every completion is called once, and no work of other units is lost`(
        cause: StoreError.Cause, place: FaultyEngine.Place
    ) throws {
        try TemporaryStore.with { fixture in
            var story = try WriteStory(fixture, seed: 42)
            story.engine.fail(.init(place: place, error: StoreError(cause, path: fixture.path), times: 2))
            try story.submitEverything()
            let ends = story.finish()
            #expect(story.engine.hits >= 1)
            for (unit, results) in ends { #expect(results.count == 1, "unit \(unit): \(results)") }
            #expect(ends.count == story.units)
            // If an error in one unit occurs in another unit at random, that unit may be set aside or
            // refused. A store failure does not lose any unit.
            let remedy = StoreError(cause, path: "").remedy
            let mayLose = place != .afterCommit && (remedy == .setAside || remedy == .refuse)
            // A submitter is notified of the trouble, because it may have better options than to wait.
            let told = StoreError(cause, path: "").isOfStore ? story.refusedSubmissions(ends) : 0
            let lost =
                try ends.count { $0.value != ["committed"] } + story.check(ends) - story.poisoned - told
            #expect(lost <= (mayLose ? 2 : 0))
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a unit that cannot be written affects no other unit`(seed: UInt64) throws {
        try TemporaryStore.with { fixture in
            var story = try WriteStory(fixture, seed: seed)
            try story.submitEverything()
            let ends = story.finish()
            for (unit, results) in ends { #expect(results.count == 1, "unit \(unit): \(results)") }
            #expect(ends.count { $0.value != ["committed"] } == story.poisoned)
            #expect(try story.check(ends) == 0)
        }
    }
}

/// Outcomes of three deliveries, submissions and units that fail permanently, all mixed.
struct WriteStory {
    let fixture: TemporaryStore
    let engine: FaultyEngine
    let service: WriteService
    private var chance: SeededRandom
    private let app: App
    private var waiting: [[MessageID]] = []
    private var deliveries: [DeliveryID] = []
    private let ends = Ends()
    private var submissions: [Int] = []
    private var outcomes: [Int: (delivery: DeliveryID, messages: [MessageID])] = [:]
    private(set) var units = 0
    private(set) var poisoned = 0
    /// Units that were reported as set aside.
    private let told = Told()
    private let ended = DispatchSemaphore(value: 0)

    init(_ fixture: TemporaryStore, seed: UInt64) throws {
        self.fixture = fixture
        chance = SeededRandom(seed: seed)
        app = try fixture.app()
        try fixture.subscribe(1...200, to: app)
        for _ in 0..<3 {
            let id = try fixture.submit(apps: [app])
            deliveries.append(id)
            waiting.append(try fixture.prepare(id).flatMap(\.ids))
        }
        let engine = FaultyEngine(fixture.store.writeEngine(name: "test"))
        self.engine = engine
        let told = told
        let service = WriteService(
            store: fixture.store, engine: engine, judge: { _ in .wait },
            clock: WriteClock(wall: { TemporaryStore.noon })
        ) { event in
            if case .setAside = event { told.one() }
        }
        self.service = service
        let ended = ended
        Thread.detachNewThread { service.run() }
        Thread.detachNewThread {
            service.callBack()
            ended.signal()
        }
    }

    mutating func submitEverything() throws {
        while waiting.contains(where: { !$0.isEmpty }) {
            switch Int.random(in: 0..<10, using: &chance) {
            case 0: submit()
            case 1: poison()
            default: record()
            }
            if Int.random(in: 0..<8, using: &chance) == 0 {
                usleep(UInt32.random(in: 0...2_000, using: &chance))
            }
        }
    }

    private mutating func record() {
        guard let index = waiting.indices.filter({ !waiting[$0].isEmpty }).randomElement(using: &chance)
        else { return }
        let messages = Array(waiting[index].prefix(.random(in: 1...30, using: &chance)))
        waiting[index].removeFirst(messages.count)
        var batch = OutcomeBatch(delivery: deliveries[index])
        batch.accepted = messages
        outcomes[units] = (deliveries[index], messages)
        service.record(
            [batch], decided: TemporaryStore.noon.time, completion: note { $0 == nil ? "committed" : "ended" }
        )
    }

    /// Submits a delivery. If the unit ran twice, there would be two deliveries.
    private mutating func submit() {
        let order = fixture.order(apps: [app]) { $0.label = "number \(units)" }
        submissions.append(units)
        let end = note { (result: Result<DeliveryID, WriteService.Failure>) in Self.word(result) }
        service.submit(
            .control, rows: 3,
            { store throws(StoreError) in try store.deliverySubmitter.submit(order, at: TemporaryStore.noon)
            },
            completion: end)
    }

    private mutating func poison() {
        poisoned += 1
        let isMistake = Bool.random(using: &chance)
        let error = StoreError(
            isMistake ? .unknown(.delivery, name: "9") : .sqlite(code: 275, during: "test"),
            path: fixture.path)
        let end = note { (result: Result<Bool, WriteService.Failure>) in Self.word(result) }
        service.submit(
            .outcomes, rows: 1,
            { store throws(StoreError) in
                // The work that the unit did before it failed must be undone.
                _ = try store.quarantineWriter.release(AppID(rawValue: 1), tokens: [])
                throw error
            }, completion: end)
    }

    private static func word<Value>(_ result: Result<Value, WriteService.Failure>) -> String {
        switch result {
        case .success: "committed"
        case .failure(.refused): "refused"
        case .failure(.setAside): "set aside"
        case .failure(.full): "full"
        case .failure(.ended): "ended"
        case .failure(.unknown): "unknown"
        }
    }

    private mutating func note<Value>(_ word: @escaping @Sendable (Value) -> String)
        -> @Sendable (Value) -> Void
    {
        let (unit, ends) = (units, ends)
        units += 1
        return { value in ends.add(word(value), to: unit) }
    }

    /// Ends the service. - Returns: The end of each unit.
    func finish() -> [Int: [String]] {
        service.end()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        return ends.all
    }

    func refusedSubmissions(_ ends: [Int: [String]]) -> Int { submissions.count { ends[$0] == ["refused"] } }

    /// - Returns: The number of outcomes that were set aside.
    func check(_ ends: [Int: [String]]) throws -> Int {
        let labels = try fixture.store.deliveries.list(limit: 5_000).map(\.label).filter {
            $0.hasPrefix("number")
        }
        let committed = submissions.filter { ends[$0] == ["committed"] }.map { "number \($0)" }
        #expect(labels.sorted() == committed.sorted())
        for delivery in deliveries {
            #expect(try fixture.store.inspection.recount(delivery) == fixture.counts(delivery))
        }
        // Completions of outcomes do not report that an outcome was set aside, because the credit is returned
        // in either case.
        let unsent = try outcomes.filter { _, record in
            let log = try fixture.store.deliveries.log(of: record.delivery)
            let sent = log.count { record.messages.contains($0.message) && $0.state == .sent }
            #expect(sent == 0 || sent == record.messages.count)
            return sent == 0
        }
        #expect(unsent.count == told.count - ends.count { $0.value == ["set aside"] })
        return unsent.count
    }
}

private final class Told: Sendable {
    private let number = Mutex(0)
    func one() { number.withLock { $0 += 1 } }
    var count: Int { number.withLock(\.self) }
}

private final class Ends: Sendable {
    private let ends = Mutex<[Int: [String]]>([:])
    func add(_ word: String, to unit: Int) { ends.withLock { $0[unit, default: []].append(word) } }
    var all: [Int: [String]] { ends.withLock { $0 } }
}
