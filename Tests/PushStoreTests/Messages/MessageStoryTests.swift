import Foundation
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

/// Messages in any order and number, from callers that repeat requests. Commits fail or have an unknown
/// result, and there are outcomes, retries and ends of days. Every accepted message must be in the store
/// exactly once, and the counts must match the messages.
@Suite(.eachEngine) struct MessageStoryTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `every accepted message is stored exactly once, whatever happens`(seed: UInt64) throws {
        try TemporaryStore.with { fixture in
            let engine = FaultyEngine(fixture.store.writeEngine(name: "master"))
            let clock = StoryClock()
            let service = WriteService(
                store: fixture.store, engine: engine, judge: { _ in .wait },
                clock: WriteClock(wall: { clock.now }), events: { _ in })
            let intake = MessageIntake(service: service, clock: { clock.now }) { _, _ in }
            var story = Story(
                fixture: fixture, engine: engine, intake: intake, clock: clock,
                chance: SeededRandom(seed: seed))
            try story.begin()
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread { service.run() }
            Thread.detachNewThread {
                service.callBack()
                ended.signal()
            }
            for _ in 0..<60 { try story.step() }
            try story.end()
            service.end()
            #expect(ended.wait(timeout: .now() + 60) == .success)
        }
    }
}

private final class StoryClock: Sendable {
    private let moment = Mutex(TemporaryStore.noon)
    var now: WallMoment { moment.withLock(\.self) }
    func advance(seconds: Int64) { moment.withLock { $0 = $0.later(seconds: seconds) } }
}

private struct Story {
    let fixture: TemporaryStore
    let engine: FaultyEngine
    let intake: MessageIntake
    let clock: StoryClock
    var chance: SeededRandom
    var apps: [App] = []
    /// The answer to each accepted request, by its key.
    var accepted: [String: AcceptedMessage] = [:]
    var requests: [String: NewMessage] = [:]

    mutating func begin() throws {
        apps = [try fixture.app("one"), try fixture.app("two")]
        for app in apps { try fixture.subscribe(1...200, to: app) }
        try fixture.alter("UPDATE subscription SET disabled = 1 WHERE id % 17 = 0")
    }

    mutating func step() throws {
        switch Int.random(in: 0..<10, using: &chance) {
        case 0...3: try send()
        case 4: try askAgain()
        case 5...6: try record()
        case 7: clock.advance(seconds: .random(in: 1...10_000, using: &chance))
        case 8: _ = try fixture.store.messages.closeEnded(at: clock.now)
        default:
            let place = FaultyEngine.Place.allCases.randomElement(using: &chance) ?? .statement
            // An error from the store, from the unit, or from an unknown source.
            let causes: [StoreError.Cause] = [
                .busy, .unsound(what: "a test"), .sqlite(code: 17, during: "a test"),
            ]
            let cause = causes.randomElement(using: &chance) ?? .busy
            engine.fail(
                FaultyEngine.Fault(
                    place: place, error: StoreError(cause, path: ""),
                    times: .random(in: 1...3, using: &chance)))
        }
    }

    private mutating func send() throws {
        var messages: [NewMessage] = []
        for _ in 0..<Int.random(in: 1...30, using: &chance) {
            let app = apps.randomElement(using: &chance) ?? apps[0]
            let key = "key \(requests.count)"
            let message = try fixture.message(
                to: .userKey("user-\(Int.random(in: 1...220, using: &chance))"), of: app,
                alert: "\(Int.random(in: 1...4, using: &chance))", key: key, body: key,
                validity: Bool.random(using: &chance) ? 600 : nil)
            requests[key] = message
            messages.append(message)
        }
        try take(intake.accept(messages), of: messages)
    }

    /// Repeats requests, both those that received no answer and those that received one.
    private mutating func askAgain() throws {
        let keys = requests.keys.sorted().shuffled(using: &chance).prefix(20)
        let messages = keys.compactMap { requests[$0] }
        try take(intake.accept(messages), of: messages)
    }

    private mutating func take(_ results: [MessageResult], of messages: [NewMessage]) throws {
        #expect(results.count == messages.count)
        for (message, result) in zip(messages, results) {
            let key = try #require(message.idempotency?.key)
            switch result {
            case .success(let answer):
                if let earlier = accepted[key], answer.isRepeated {
                    #expect(answer.devices == earlier.devices)
                }
                // After a day, the same key creates another message.
                if accepted[key] == nil || !answer.isRepeated { accepted[key] = answer }
            case .failure(.nobody), .failure(.failed), .failure(.unknown), .failure(.busy): break
            case .failure(let refusal): Issue.record("\(refusal)")
            }
        }
    }

    private mutating func record() throws {
        guard let part = try fixture.openParts().randomElement(using: &chance) else { return }
        var batch = OutcomeBatch(delivery: part.delivery)
        for number in part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue {
            let message = MessageID(rawValue: number)
            switch Int.random(in: 0..<4, using: &chance) {
            case 0...1: batch.accepted.append(message)
            case 2:
                batch.others.append(
                    MessageRecord(
                        message: message,
                        change: .failed(.hard, .userUnknown, providerReason: "BadDeviceToken"),
                        countsAttempt: true))
            default:
                batch.others.append(
                    MessageRecord(
                        message: message,
                        change: .retrying(
                            due: clock.now.later(seconds: 30).time, .soft, .unreachable,
                            providerReason: "Busy"),
                        countsAttempt: true))
            }
        }
        _ = try fixture.store.outcomes.record([batch], at: clock.now)
        while try fixture.store.outcomes.expire(at: clock.now).hasMore {}
    }

    mutating func end() throws {
        clock.advance(seconds: 400 * 86_400)
        _ = try fixture.store.messages.closeEnded(at: clock.now)
        while try fixture.store.outcomes.expire(at: clock.now).hasMore {}
        let devices = accepted.values.flatMap(\.devices).map(\.message)
        #expect(Set(devices).count == devices.count)
        for answer in accepted.values {
            for device in answer.devices {
                let status = try fixture.store.messageStatus.status(of: device.message, in: answer.delivery)
                #expect(status?.entry.state.isFinal == true)
            }
        }
        for summary in try fixture.store.deliveries.list(limit: 1_000) {
            #expect(summary.state == .finished)
            let recount = try fixture.store.repair.recount(summary.id, at: clock.now)
            #expect(recount.isRepaired && recount.before == recount.after && recount.repairedParts == 0)
        }
    }
}
