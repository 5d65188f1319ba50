import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import Synchronization
import TestSupport
import Testing

/// Tests which link of the chain from a device's registration to a click a rehearsal reports as missing.
struct RehearseAppTests {
    private let devices: DeviceInstance
    private var operations: Operations { devices.operations }
    /// The time does not pass until a test ends the waits, so no result depends on the machine's speed.
    private let clock = RehearsalClock()

    init() throws {
        devices = try DeviceInstance(monotonic: { [clock] in clock.now })
        devices.instance.engine.run(.example(mark: "stub"))
    }

    /// - Parameter onReport: Called with each state of the rehearsal.
    private func rehearse(
        _ request: RehearseApp, cancelledIf isCancelled: @escaping @Sendable () -> Bool = { false },
        onReport: @escaping @Sendable (Rehearsal) -> Void
    ) async throws -> Rehearsal {
        let deadline = ContinuousClock.now + .seconds(600)
        return try await withCheckedThrowingContinuation { continuation in
            // The rehearsal waits, so it must not use a thread of the tasks.
            Thread.detachNewThread { [operations] in
                continuation.resume(
                    with: Result {
                        try operations.carryOut(
                            request,
                            watchedBy: Watch(
                                report: { onReport($0.result) },
                                isCancelled: { isCancelled() || ContinuousClock.now > deadline }))
                    })
            }
        }
    }

    /// Returns a function that does something once, as soon as a rehearsal waits for a device.
    private func whenWaiting(_ work: @escaping @Sendable () async -> Void) -> @Sendable (Rehearsal) -> Void {
        let once = Once()
        return { rehearsal in
            guard rehearsal[.registration].state == .waiting, once.take() else { return }
            Task { await work() }
        }
    }

    /// Returns a function that sends each of these forms once, as soon as a rehearsal waits for a device.
    private func sending(_ forms: [[UInt8]]) -> @Sendable (Rehearsal) -> Void {
        whenWaiting { [register = devices.register] in
            for form in forms { _ = await register.perform(body: form, platform: .ios) }
        }
    }

    /// As ``sending(_:)``, and ends the wait for the gateway's answer as soon as it has begun.
    private func sendingWithoutAnswer(_ forms: [[UInt8]]) -> @Sendable (Rehearsal) -> Void {
        let send = sending(forms)
        return { [clock] rehearsal in
            send(rehearsal)
            if rehearsal.message != nil, rehearsal[.sending].state == .waiting { clock.endWaits() }
        }
    }

    @Test func `a key that no app has and other refusals are reported if no device registers`() async throws {
        let forms = [
            DeviceInstance.form(1, key: "key of iOS"), DeviceInstance.form(2, key: "key of iOS"),
            Array("registrationToken=00".utf8),
        ]
        let rehearsal = try await rehearse(
            RehearseApp(name: "ios", registrationSeconds: 5),
            onReport: whenWaiting { [register = devices.register, clock] in
                for form in forms { _ = await register.perform(body: form, platform: .ios) }
                clock.endWaits()
            })
        let link = rehearsal[.registration]
        #expect(!rehearsal.complete && link.state == .missing)
        #expect(link.text.contains("no device registered with app ios within 5 seconds"))
        #expect(link.seen.count == 2, "\(link.seen)")
        #expect(link.seen.contains { $0.contains("key of iOS") })
        #expect(link.seen.contains { $0.contains("mobileAppUuid is missing") }, "\(link.seen)")
        #expect(link.advice?.contains("key of ios") == true)
        #expect(rehearsal[.sending].state == .notReached && rehearsal.message == nil)
    }

    @Test func `the missing registration is explained even if nothing was seen`() async throws {
        let rehearsal = try await rehearse(
            RehearseApp(name: "ios", registrationSeconds: 1),
            onReport: whenWaiting { [clock] in clock.endWaits() })
        #expect(rehearsal[.registration].seen == [])
        #expect(rehearsal[.registration].advice?.contains("marketing server") == true)
    }

    @Test func `a message that is not sent in time is reported and cancelled`() async throws {
        let rehearsal = try await rehearse(
            RehearseApp(name: "ios", sendingSeconds: 1),
            onReport: sendingWithoutAnswer([DeviceInstance.form(7, user: "anna")]))
        #expect(rehearsal[.registration].state == .done)
        #expect(rehearsal[.sending].state == .missing)
        #expect(rehearsal[.sending].text.contains("was not sent within 1 second"))
        let message = try operations.carryOut(ShowMessage(id: try #require(rehearsal.message)))
        #expect(message.state == "cancelled" && message.userKey == "anna")
    }

    @Test func `only the device with the given user key receives the message`() async throws {
        let forms = [DeviceInstance.form(1, user: "bert"), DeviceInstance.form(2, user: "anna")]
        let rehearsal = try await rehearse(
            RehearseApp(name: "ios", userKey: "anna", sendingSeconds: 1),
            onReport: sendingWithoutAnswer(forms))
        let message = try operations.carryOut(ShowMessage(id: try #require(rehearsal.message)))
        #expect(message.userKey == "anna")
        #expect(rehearsal[.registration].seen == ["a registration with another user key"])
    }

    @Test func `a device that was registered before is recognised when it registers again`() async throws {
        let form = DeviceInstance.form(3, user: "carl")
        #expect(await devices.register.perform(body: form, platform: .ios) == nil)
        let rehearsal = try await rehearse(
            RehearseApp(name: "ios", sendingSeconds: 1), onReport: sendingWithoutAnswer([form]))
        #expect(rehearsal[.registration].state == .done)
    }

    @Test func `a cancelled rehearsal cancels its message`() async throws {
        let id = Mutex<String?>(nil)
        let hasMessage: @Sendable () -> Bool = { id.withLock { $0 } != nil }
        let send = sending([DeviceInstance.form(5)])
        do {
            _ = try await rehearse(
                RehearseApp(name: "ios"), cancelledIf: hasMessage,
                onReport: { rehearsal in
                    send(rehearsal)
                    if let message = rehearsal.message { id.withLock { $0 = message } }
                })
            Issue.record("the rehearsal was not cancelled")
        } catch {
            #expect((error as? OperationError)?.kind == .cancelled)
        }
        let message = try operations.carryOut(ShowMessage(id: try #require(id.withLock { $0 })))
        #expect(message.state == "cancelled")
    }

    @Test func `an app with many subscribers needs the user key of the test device`() throws {
        try devices.instance.subscribe(101)
        let refused = failure { () throws(OperationError) in
            _ = try operations.carryOut(RehearseApp(name: "ios", registrationSeconds: 1))
        }
        #expect(refused?.kind == .refused && refused?.description.contains("--user-key") == true)
        #expect(throws: Never.self) {
            try RehearseApp(name: "ios", userKey: "anna").check(in: operations)
        }
        #expect(throws: OperationError.self) {
            try RehearseApp(name: "none").check(in: operations)
        }
    }

    @Test func `a rehearsal without a running master is refused`() throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(RehearseApp(name: "ios", registrationSeconds: 1))
        }
        #expect(error?.description.contains("no master runs") == true)
    }

    @Test func `requests to unregister and to opt out are seen, and are not registrations`() async throws {
        let register = devices.register
        let form = DeviceInstance.form(1)
        #expect(await register.perform(body: form, platform: .ios) == nil)
        let first = WatchDevices().perform(in: operations)
        let wrong = DeviceInstance.form(2, key: "key of iOS")
        let rehearsal = try await rehearse(
            RehearseApp(name: "ios", registrationSeconds: 5),
            onReport: whenWaiting { [clock] in
                _ = await register.perform(.optOut, body: form, platform: .ios)
                _ = await register.perform(.unregister, body: form, platform: .ios)
                _ = await register.perform(.unregister, body: wrong, platform: .ios)
                _ = await register.perform(.optOut, body: Array("userKey=x".utf8), platform: .ios)
                clock.endWaits()
            })
        let link = rehearsal[.registration]
        #expect(link.state == .missing)
        #expect(
            link.seen.dropLast() == [
                "a request to opt out with app ios", "a request to unregister with app ios",
                "a request to unregister with the integration key key of iOS, which no app has",
            ])
        #expect(link.seen.last?.contains("a request to opt out was refused: ") == true, "\(link.seen)")
        #expect(link.advice?.contains("build the app with the integration key key of ios") == true)
        let seen = WatchDevices(next: first.next).perform(in: operations).seen
        #expect(seen.map(\.purpose) == [.optOut, .unregister, .unregister, .optOut])
    }

    @Test func `requests of devices are kept only while a rehearsal looks at them`() async throws {
        #expect(await devices.register.perform(body: DeviceInstance.form(1), platform: .ios) == nil)
        let first = WatchDevices().perform(in: operations)
        #expect(first.seen == [])
        #expect(await devices.register.perform(body: DeviceInstance.form(2), platform: .ios) == nil)
        _ = await devices.hit("zz", "1", "1")
        let second = WatchDevices(next: first.next).perform(in: operations)
        #expect(second.seen.map(\.app) == ["ios", nil])
        #expect(second.seen.last?.ignoredReport != nil)
        #expect(WatchDevices(next: second.next).perform(in: operations).seen == [])
    }
}

/// A monotonic clock that does not advance until a test ends all waits. From then on, a second passes between
/// two readings.
private final class RehearsalClock: Sendable {
    private let seconds = Atomic<Int64>(0)
    private let isMoving = Atomic(false)

    var now: MonotonicTime {
        if isMoving.load(ordering: .relaxed) { seconds.add(1, ordering: .relaxed) }
        return MonotonicTime(nanoseconds: 0).advanced(bySeconds: seconds.load(ordering: .relaxed))
    }

    func endWaits() { isMoving.store(true, ordering: .relaxed) }
}

/// Something that is done only once.
private final class Once: Sendable {
    private let isFirst = Atomic(true)
    func take() -> Bool { isFirst.exchange(false, ordering: .relaxed) }
}
