import Foundation
import PushAPI
import PushModel
import PushStore
import Synchronization
import TestRequests
import TestSupport
import Testing

struct StopDeliveryTests {
    @Test func `if no master is running, waiting messages are cancelled before the stop is answered`() throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        let stopped = try instance.operations.carryOut(StopDelivery(id: id))
        #expect(stopped.changed && stopped.state == .stopped && stopped.onTheWire == 0)
        #expect(stopped.toBeCancelled == 0)
        let again = try instance.operations.carryOut(StopDelivery(id: id))
        #expect(!again.changed && again.state == .stopped)
        let audit = try instance.operations.carryOut(ReadAudit(limit: 2)).items
        #expect(audit.map(\.action) == ["delivery.stop", "delivery.submit"])

        let refused = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(RetryFailed(id: id))
        }
        #expect(refused?.kind == .refused)
    }

    @Test func `children withdraw their messages before the stop is answered with the number on the wire`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(5)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        _ = try instance.operations.store.preparation.prepareChunk(
            of: id, at: instance.operations.clock.moment())
        let asked = Mutex<[DeliveryID]>([])
        let store = instance.operations.store
        instance.engine.withdraw { delivery in
            // By then the stop is recorded in the store.
            let state = try? store.pause.state(of: delivery)
            #expect(state == .stopping)
            asked.withLock { $0.append(delivery) }
            return 2
        }
        let stopped = try instance.operations.carryOut(StopDelivery(id: id))
        #expect(asked.withLock(\.self) == [id])
        #expect(stopped.changed && stopped.state == .stopping)
        #expect(stopped.onTheWire == 2 && stopped.toBeCancelled == 3 && stopped.cancelled == 0)
        // If the command is repeated while the stop is in progress, it queries the master again.
        let again = try instance.operations.carryOut(StopDelivery(id: id))
        #expect(!again.changed && again.state == .stopping && asked.withLock(\.count) == 2)
        for operation in ["pause", "resume"] {
            let error = failure { () throws(OperationError) in
                if operation == "pause" {
                    _ = try instance.operations.carryOut(PauseDelivery(id: id))
                } else {
                    _ = try instance.operations.carryOut(ResumeDelivery(id: id))
                }
            }
            #expect(error?.kind == .refused && error?.description.contains("is stopping") == true)
        }
        #expect(try instance.operations.carryOut(ShowDelivery(id: id)).delivery.pausedUntil == nil)
    }

    @Test
    func `stops that wait for a child do not occupy worker threads, and the number of these is limited`()
        async throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        _ = try instance.store.preparation.prepareChunk(of: id, at: TestInstance.noon)
        let child = DispatchSemaphore(value: 0)
        defer { for _ in 0..<WaitingThreads.maxThreads { child.signal() } }
        instance.engine.withdraw { _ in
            child.wait()
            child.signal()
            return 0
        }
        let (operations, answers) = (instance.operations, Answers())
        let begun = Mutex(0)
        let stop = StopDelivery(id: id)
        Thread.detachNewThread {
            for _ in 0..<WaitingThreads.maxThreads {
                stop.begin(in: operations) { answers.add($0) }
                begun.withLock { $0 += 1 }
            }
        }
        try await eventually("all of them have begun") { begun.withLock(\.self) == WaitingThreads.maxThreads }
        #expect(answers.texts == [])
        // A further request is refused, and other work continues.
        stop.begin(in: operations) { answers.add($0) }
        try await eventually("one is refused") { answers.texts.count == 1 }
        #expect(answers.texts.first?.contains("requests wait for children") == true)
        #expect(try operations.carryOut(CreateService(name: "other")).name == "other")
        child.signal()
        try await eventually("all are answered") { answers.texts.count == WaitingThreads.maxThreads + 1 }
        #expect(answers.texts.dropFirst().allSatisfy { $0.contains("stopp") })
    }

    private final class Answers: Sendable {
        private let all = Mutex<[String]>([])
        var texts: [String] { all.withLock(\.self) }
        func add(_ result: Result<StoppedDelivery, OperationError>) {
            all.withLock { $0.append("\(result)") }
        }
    }

    @Test
    func `if children do not confirm, the answer reports this, and the delivery stays stopped`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        _ = try instance.operations.store.preparation.prepareChunk(
            of: id, at: instance.operations.clock.moment())
        instance.engine.withdraw { _ in throw OperationError.failed("the state is unknown") }
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(StopDelivery(id: id))
        }
        #expect(error?.kind == .failed && error?.description == "the state is unknown")
        #expect(try instance.operations.store.pause.state(of: id) == .stopping)
    }

    @Test func `stopping is refused for a delivery that has ended or does not exist`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.accept(id)
        for (delivery, words) in [
            (id, "is finished, and cannot be stopped"), (DeliveryID(rawValue: 99), "there is no delivery 99"),
        ] {
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(StopDelivery(id: delivery))
            }
            #expect(error?.kind == (delivery == id ? .refused : .absent) && error?.lines.count == 1)
            #expect(error?.description.contains(words) == true)
        }
    }

    @Test func `a rate is accepted, stored and shown`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let submission = try TestInstance.submission(["schedule": ["ratePerSecond": 50]])
        let id = try instance.operations.carryOut(submission).id
        #expect(try instance.operations.carryOut(ShowDelivery(id: id)).order?.ratePerSecond == 50)
        let none = try instance.operations.carryOut(try TestInstance.submission()).id
        #expect(try instance.operations.carryOut(ShowDelivery(id: none)).order?.ratePerSecond == nil)
    }
}
