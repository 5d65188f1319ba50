import Dispatch
import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import Synchronization
import Testing

/// Tests messages that are submitted on a thread that must not wait.
@Suite struct SendAtOnceTests {
    private static let hello = #"{"app": "ios", "userKey": "user1", "content": {"title": "Hello"}}"#

    /// The result of a send operation, from any thread.
    private final class Told: Sendable {
        private let result = Mutex<Result<SentMessages, OperationError>?>(nil)
        private let said = DispatchSemaphore(value: 0)

        @Sendable func say(_ result: Result<SentMessages, OperationError>) {
            self.result.withLock { $0 = result }
            said.signal()
        }

        func wait() throws -> [SentMessage] {
            #expect(said.wait(timeout: .now() + 60) == .success)
            let told = result.withLock { $0 }
            return try #require(told).get().messages
        }
    }

    /// Provides an instance that accepts messages in groups, with a clock that the test sets.
    private func with(_ story: (Operations, Clock) throws -> Void) throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let service = WriteService(
            store: instance.store, judge: { _ in .wait }, clock: WriteClock(wall: { TestInstance.noon }),
            events: { _ in })
        let (relay, ended) = (WriteRelay(), DispatchSemaphore(value: 0))
        relay.forward(
            to: service, messages: MessageIntake(service: service, clock: { TestInstance.noon }) { _, _ in })
        Thread.detachNewThread { service.run() }
        Thread.detachNewThread {
            service.callBack()
            ended.signal()
        }
        defer {
            service.end()
            #expect(ended.wait(timeout: .now() + 60) == .success)
        }
        let clock = Clock()
        let operations = Operations(
            configuration: instance.operations.configuration, store: instance.store.writing(through: relay),
            engine: instance.engine,
            clock: OperationsClock(
                moment: { TestInstance.noon },
                monotonic: { MonotonicTime(nanoseconds: clock.seconds.withLock(\.self) * 1_000_000_000) }),
            caller: "a test")
        try story(operations, clock)
    }

    private final class Clock: Sendable {
        let seconds = Mutex<Int64>(0)
    }

    private func order(_ json: String) -> SendMessages {
        SendMessages(document: Array(json.utf8), caller: "a")
    }

    @Test
    func
        `a message that needs a read is left to a thread that can wait, and the result is kept for a second`()
        throws
    {
        try with { operations, clock in
            let (nobody, first, second, third) = (Told(), Told(), Told(), Told())
            #expect(!order(Self.hello).beginAtOnce(in: operations, then: nobody.say))
            order(Self.hello).begin(in: operations, then: first.say)
            let waited = try first.wait()
            #expect(order(Self.hello).beginAtOnce(in: operations, then: second.say))
            let atOnce = try second.wait()
            #expect(atOnce.count == 1 && atOnce[0].fault == nil && atOnce[0].delivery == waited[0].delivery)
            #expect(atOnce[0].devices.count == 1 && atOnce[0].devices != waited[0].devices)
            clock.seconds.withLock { $0 = 2 }
            #expect(!order(Self.hello).beginAtOnce(in: operations, then: third.say))
        }
    }

    @Test func `an unknown recipient is answered without waiting, and so is a repeated key`() throws {
        try with { operations, _ in
            let first = Told()
            order(Self.hello).begin(in: operations, then: first.say)
            _ = try first.wait()
            let nobody = Told()
            let stranger = Self.hello.replacing("user1", with: "stranger")
            #expect(order(stranger).beginAtOnce(in: operations, then: nobody.say))
            let error = #expect(throws: OperationError.self) { _ = try nobody.wait() }
            #expect(error?.kind == .noMatch)
            let keyed = Self.hello.replacing(#"{"app""#, with: #"{"idempotencyKey": "k", "app""#)
            let (one, again) = (Told(), Told())
            #expect(order(keyed).beginAtOnce(in: operations, then: one.say))
            let devices = try one.wait()[0].devices
            #expect(order(keyed).beginAtOnce(in: operations, then: again.say))
            let repeated = try again.wait()[0]
            #expect(repeated.isRepeated && repeated.devices == devices)
        }
    }

    @Test func `refused, multiple and large messages are left to a thread that can wait`() throws {
        try with { operations, _ in
            let first = Told()
            order(Self.hello).begin(in: operations, then: first.say)
            _ = try first.wait()
            let large = Self.hello.replacing("Hello", with: String(repeating: "x", count: 9_000))
            for json in [
                "[\(Self.hello), \(Self.hello)]", large, "{", "7", "", "[]",
                Self.hello.replacing("title", with: "titel"), Self.hello.replacing("ios", with: "other"),
            ] {
                #expect(!order(json).beginAtOnce(in: operations) { _ in Issue.record("notified of \(json)") })
            }
        }
    }

    @Test func `if there is no intake, no message is accepted without waiting`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        #expect(try instance.operations.carryOut(order(Self.hello)).messages[0].fault == nil)
        #expect(!order(Self.hello).beginAtOnce(in: instance.operations) { _ in Issue.record("told") })
    }

    @Test func `a sent message is written in exactly the form in which it is encoded`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let keyed = Self.hello.replacing(#"{"app""#, with: #"{"idempotencyKey": "k", "app""#)
        let sent = try instance.operations.carryOut(
            order("[\(keyed), \(keyed), {}, \(Self.hello.replacing("user1", with: "nobody"))]")
        ).messages
        #expect(sent.map(\.isRepeated) == [false, true, false, false])
        #expect(sent.map(\.fault) == [nil, nil, .refused, .noMatch])
        for message in sent { #expect(try JSONValue(encoding: message) == message.json) }
    }
}
