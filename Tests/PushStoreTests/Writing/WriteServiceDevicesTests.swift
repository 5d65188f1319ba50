import Foundation
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

@Suite(.eachEngine) struct WriteServiceDevicesTests {
    private func with(_ fixture: TemporaryStore, _ story: (WriteService) throws -> Void) throws {
        let service = WriteService(
            store: fixture.store, judge: { _ in .wait }, clock: WriteClock(wall: { TemporaryStore.noon }),
            events: { _ in })
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread { service.run() }
        Thread.detachNewThread {
            service.callBack()
            ended.signal()
        }
        defer {
            service.end()
            #expect(ended.wait(timeout: .now() + 60) == .success)
        }
        try story(service)
    }

    private func registration(_ number: Int, _ app: AppID) -> RegistrationRecord {
        RegistrationRecord(
            app: app, token: TemporaryStore.token(number), userKey: "user-\(number)", parametersJSON: nil,
            replacesParameters: true, device: DeviceFacts(), at: TemporaryStore.noon)
    }

    @Test func `device reports share commits, and each sender receives its own result afterwards`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...50, to: app)
            let id = try fixture.finished(apps: [app])
            let before = try fixture.store.writeEngine(name: "master").lastGroup()
            let ends = Mutex<(hits: [Int64: [HitEnd]], registrations: [RegistrationEnd], failures: Int)>(
                ([:], [], 0))
            let left = DispatchSemaphore(value: 0)
            try with(fixture) { service in
                for number in 1...50 as ClosedRange<Int64> {
                    for kind in [HitKind.received, .clicked, .received] {
                        service.record(
                            HitRecord(
                                delivery: id, message: MessageID(rawValue: number), number: number,
                                app: app.id, kind: kind, at: TemporaryStore.noon
                            )
                        ) { result in
                            ends.withLock {
                                if case .success(let end) = result {
                                    $0.hits[number, default: []].append(end)
                                } else {
                                    $0.failures += 1
                                }
                            }
                            left.signal()
                        }
                    }
                    let other = number % 10 == 0 ? AppID(rawValue: 99) : app.id
                    service.register(registration(100 + Int(number), other)) { result in
                        ends.withLock {
                            if case .success(let end) = result {
                                $0.registrations.append(end)
                            } else {
                                $0.failures += 1
                            }
                        }
                        left.signal()
                    }
                }
                for _ in 0..<200 { #expect(left.wait(timeout: .now() + 60) == .success) }
            }
            let found = ends.withLock { $0 }
            #expect(found.failures == 0 && found.hits.count == 50)
            for told in found.hits.values { #expect(told.filter { $0 == .first }.count == 2) }
            #expect(found.registrations.count { $0 == .inserted } == 45)
            #expect(found.registrations.count { $0 == .noApp } == 5)
            #expect(try fixture.store.statistics.hits(of: [id])[id] == [.received: 50, .clicked: 50])
            #expect(try fixture.store.writeEngine(name: "master").lastGroup() - before < 200)
        }
    }

    @Test func `a report that cannot be written affects only its sender`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.finished(apps: [app])
            let results = Mutex<[Int: Result<RegistrationEnd, WriteService.Failure>]>([:])
            let left = DispatchSemaphore(value: 0)
            try with(fixture) { service in
                // A user key that is too long for any index, or a text that no database stores.
                let bad = TestEngine.current == .sqlite ? nil : "nul\0"
                for number in 1...9 {
                    var record = registration(100 + number, app.id)
                    if number == 5, let bad { record.userKey = bad }
                    service.register(record) { result in
                        results.withLock { $0[number] = result }
                        left.signal()
                    }
                }
                service.record(
                    HitRecord(
                        delivery: id, message: MessageID(rawValue: 1), number: 1, app: app.id, kind: .clicked,
                        at: TemporaryStore.noon)
                ) { _ in left.signal() }
                for _ in 0..<10 { #expect(left.wait(timeout: .now() + 60) == .success) }
            }
            let found = results.withLock { $0 }
            for (number, result) in found {
                if number == 5, TestEngine.current == .postgreSQL {
                    guard case .failure = result else {
                        Issue.record("written: \(result)")
                        continue
                    }
                } else {
                    #expect(result == .success(.inserted))
                }
            }
            #expect(found.count == 9)
            #expect(try fixture.store.statistics.hits(of: [id])[id]?[.clicked] == 1)
        }
    }
}
