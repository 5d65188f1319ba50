import Foundation
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

/// Tests which operations keep an opt-out, and which lift it.
@Suite(.eachEngine) struct OptOutTests {
    private static let noon = TemporaryStore.noon

    private func record(
        _ number: Int, _ app: App, user: String = "anna", device: String = "",
        _ purpose: RegistrationRecord.Purpose = .register
    ) -> RegistrationRecord {
        var facts = DeviceFacts()
        facts.id = device
        var record = TemporaryStore.registration(
            number, with: app, user: user, device: facts, at: Self.noon.later(seconds: 60))
        record.purpose = purpose
        return record
    }

    @discardableResult
    private func send(_ records: RegistrationRecord..., to fixture: TemporaryStore) throws
        -> [RegistrationEnd]
    {
        try fixture.store.registrations.register(records)
    }

    /// Whether the subscription is opted out; `nil` if there is none.
    private func isOptedOut(_ number: Int, _ app: App, _ fixture: TemporaryStore) throws -> Bool? {
        let found = try fixture.store.subscriberFinder.find(token: TemporaryStore.token(number), in: app.id)
        return found.first.map { $0.optOut != nil }
    }

    @Test func `a registration of the same person keeps an opt-out, unless it asks for messages`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try send(record(1, app), record(2, app, user: "bert"), to: fixture)
            #expect(try send(record(1, app, .optOut), to: fixture) == [.optedOut])
            #expect(try send(record(1, app, .optOut), to: fixture) == [.optedOut])
            #expect(try fixture.rows("opt_out") == 1)
            #expect(try send(record(1, app), to: fixture) == [.updated])
            #expect(try isOptedOut(1, app, fixture) == true)
            #expect(try isOptedOut(2, app, fixture) == false)
            let facts = try fixture.store.subscriberFinder.find(userKey: "anna", in: app.id).first
            let expected = OptOutFacts(since: Self.noon.later(seconds: 60).time, source: .device)
            #expect(facts?.optOut == expected)
            var asking = record(1, app)
            asking.liftsOptOut = true
            try send(asking, to: fixture)
            #expect(try isOptedOut(1, app, fixture) == false)
            #expect(try fixture.rows("opt_out") == 0)
        }
    }

    @Test func `another person on the device does not inherit an opt-out, and it returns with its person`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try send(record(1, app), record(1, app, .optOut), to: fixture)
            // A person who logs out does not ask for messages.
            try send(record(1, app, user: ""), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == true)
            try send(record(1, app, user: "bert"), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == false)
            // The second person's opt-out is not the first one's.
            var asking = record(1, app, user: "bert")
            asking.liftsOptOut = true
            try send(asking, to: fixture)
            try send(record(1, app, user: ""), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == false)
            try send(record(1, app), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == true)
            #expect(try fixture.rows("opt_out") == 1)
        }
    }

    @Test func `an opt-out without a user key becomes that of the first person who registers`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            // The opt-out can arrive before the registration.
            try send(record(1, app, user: "", .optOut), record(1, app, user: ""), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == true)
            try send(record(1, app), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == true)
            try send(record(1, app, user: "bert"), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == false)
        }
    }

    @Test func `a request that names another person than the present one does not exclude the present one`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try send(record(1, app, user: "bert"), record(1, app, user: "anna", .optOut), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == false)
            try send(record(1, app, user: "anna"), to: fixture)
            #expect(try isOptedOut(1, app, fixture) == true)
        }
    }

    @Test func `a new token of the same device keeps the opt-out, also after the device unregistered`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try send(record(1, app, device: "a1b2c3d4"), record(1, app, .optOut), to: fixture)
            #expect(try send(record(2, app, device: "a1b2c3d4"), to: fixture) == [.moved])
            #expect(try isOptedOut(2, app, fixture) == true)
            // One row for the new token and one for the device's id.
            #expect(try fixture.rows("opt_out") == 2)
            #expect(try send(record(2, app, .unregister), to: fixture) == [.unregistered])
            #expect(try isOptedOut(2, app, fixture) == nil)
            #expect(try send(record(2, app, .unregister), to: fixture) == [.unregistered])
            #expect(try send(record(3, app, device: "a1b2c3d4"), to: fixture) == [.inserted])
            #expect(try isOptedOut(3, app, fixture) == true)
            // An imported subscription has the new token, and then the device names its id.
            try fixture.subscribe(4...4, to: app)
            try send(record(4, app, device: "a1b2c3d4"), to: fixture)
            #expect(try isOptedOut(4, app, fixture) == true)
            #expect(try isOptedOut(3, app, fixture) == nil)
        }
    }

    @Test(arguments: [true, false])
    func `imports keep opt-outs of known, changed and removed subscribers`(registers: Bool) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4, to: app)
            for number in 1...3 { try send(record(number, app, user: "", .optOut), to: fixture) }
            let third = try fixture.store.subscriberFinder.find(userKey: "user-3", in: app.id)
            #expect(try fixture.store.subscriberRemover.remove(third.map(\.subscription), at: Self.noon) == 1)
            let records = [1, 2, 3, 4].map {
                SubscriberRecord(
                    token: TemporaryStore.token($0), userKey: "user-\($0)",
                    parametersJSON: $0 == 2 ? #"{"city":"Rome"}"# : nil)
            }
            let counts = try fixture.store.subscriberImporter.upsert(
                records, into: app.id, at: Self.noon, registers: registers)
            #expect(counts.inserted == 1 && counts.updated == 1 && counts.unchanged == 2)
            #expect(counts.optedOut == 3 && counts.excluded == 0)
            let states: [Bool?] = try (1...4).map { try isOptedOut($0, app, fixture) }
            #expect(states == [true, true, true, false])
            // According to the list, another person has the device now.
            let other = SubscriberRecord(
                token: TemporaryStore.token(1), userKey: "bert", parametersJSON: nil)
            _ = try fixture.store.subscriberImporter.upsert(
                [other], into: app.id, at: Self.noon, registers: registers)
            #expect(try isOptedOut(1, app, fixture) == false)
        }
    }

    @Test(arguments: [true, false])
    func `a row of an import that changes the user is counted as excluded or as opted out`(
        registers: Bool
    ) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            // On the first device, only the new user has opted out; on the second, only the earlier user.
            try send(record(1, app), record(1, app, user: "bert", .optOut), to: fixture)
            try send(record(2, app), record(2, app, .optOut), to: fixture)
            for number in 1...2 {
                _ = try fixture.store.quarantineWriter.add(
                    app.id, token: TemporaryStore.token(number), reason: "test", at: Self.noon)
            }
            #expect(try isOptedOut(1, app, fixture) == false)
            #expect(try isOptedOut(2, app, fixture) == true)
            let records = [1, 2].map {
                SubscriberRecord(token: TemporaryStore.token($0), userKey: "bert", parametersJSON: nil)
            }
            let counts = try fixture.store.subscriberImporter.upsert(
                records, into: app.id, at: Self.noon, registers: registers)
            #expect(counts.updated == 2 && counts.optedOut == 1 && counts.excluded == (registers ? 0 : 1))
            #expect(try isOptedOut(1, app, fixture) == true)
            #expect(try isOptedOut(2, app, fixture) == false)
            let again = try fixture.store.subscriberImporter.upsert(
                records, into: app.id, at: Self.noon, registers: registers)
            #expect(again.unchanged == 2 && again.optedOut == 1)
            #expect(again.excluded == counts.excluded)
        }
    }

    @Test func `quarantine and opt-out are independent, and lifting one keeps the other`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try send(record(1, app), record(1, app, .optOut), to: fixture)
            let writer = fixture.store.quarantineWriter
            let added = try writer.add(app.id, token: TemporaryStore.token(1), reason: "test", at: Self.noon)
            #expect(added?.isChanged == true)
            let facts = try fixture.store.subscriberFinder.find(userKey: "anna", in: app.id)
            #expect(facts.first?.state == .quarantined && facts.first?.optOut != nil)
            #expect(try writer.release(app.id, userKey: "anna").hasMore == false)
            #expect(try isOptedOut(1, app, fixture) == true)
            _ = try writer.add(app.id, token: TemporaryStore.token(1), reason: "test", at: Self.noon)
            let lifted = try fixture.store.optOutWriter.set(
                false, of: facts.map(\.subscription), at: Self.noon)
            #expect(lifted.changed == 1)
            let after = try fixture.store.subscriberFinder.find(userKey: "anna", in: app.id).first
            #expect(after?.state == .quarantined && after?.optOut == nil)
            // A gateway's new name for the token.
            _ = try fixture.store.optOutWriter.set(true, of: facts.map(\.subscription), at: Self.noon)
            #expect(try writer.releaseAll(of: app.id).released == 0)
            let id = try fixture.submit(apps: [app])
            try fixture.prepare(id)
            let message = try #require(try fixture.log(id).first).message
            // The answers to two messages may state the same new token.
            for _ in 1...2 {
                try fixture.store.tokens.rename(
                    subscriberOf: message, to: TemporaryStore.token(2), at: Self.noon)
            }
            #expect(try isOptedOut(2, app, fixture) == true)
            try send(record(2, app), to: fixture)
            #expect(try isOptedOut(2, app, fixture) == true)
        }
    }

    @Test func `deliveries exclude opted-out subscribers with their own reason`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            for number in [2, 3] { try send(record(number, app, user: "", .optOut), to: fixture) }
            let all = try fixture.submit(apps: [app])
            try fixture.prepare(all)
            let listed = try fixture.submit(.userKeys(["user-2", "user-4"]), apps: [app])
            try fixture.prepare(listed)
            for (id, count) in [(all, 2), (listed, 1)] {
                let excluded = try fixture.log(id).filter { $0.state == .excluded }
                #expect(excluded.count == count)
                #expect(excluded.allSatisfy { $0.providerReason == "opted out" })
                #expect(excluded.allSatisfy { $0.failureReason == .denylisted })
            }
            let states = try #require(try fixture.store.subscribers.states(of: app.id))
            #expect(states.valid == 8 && states.optedOut == 2 && states.quarantined == 0)
            #expect(try fixture.store.statistics.subscribers(of: app.id).optedOut == 2)
        }
    }

    @Test func `an erasure and the deletion of an app leave no opt-out`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try send(
                record(1, app, device: "a1b2c3d4"), record(1, app, .optOut), record(1, app, user: "bert"),
                record(2, app, user: "cleo"), record(2, app, user: "cleo", .optOut), to: fixture)
            #expect(try fixture.rows("opt_out") == 3)
            #expect(try fixture.store.personTraces.eraseOptOuts(of: "anna") == false)
            #expect(try fixture.rows("opt_out") == 1)
            let cleo = try fixture.store.subscriberFinder.find(userKey: "cleo", in: app.id)
            _ = try fixture.store.subscriberRemover.erase(cleo.map(\.subscription), at: Self.noon)
            #expect(try fixture.rows("opt_out") == 0)
            try send(record(3, app, .optOut), to: fixture)
            #expect(try fixture.rows("opt_out") == 1)
            try fixture.writer.deleteApp(app.id, at: Self.noon)
            #expect(try fixture.rows("opt_out") == 0)
            #expect(try send(record(3, app, .optOut), to: fixture) == [.noApp])
        }
    }

    @Test func `the number of stored persons of one device is limited, and no opt-out is lost`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            for number in 1...60 { try send(record(1, app, user: "user \(number)", .optOut), to: fixture) }
            #expect(try fixture.rows("opt_out") == 21)
            for user in ["user 1", "user 60"] {
                try send(record(1, app, user: user), to: fixture)
                #expect(try isOptedOut(1, app, fixture) == true)
            }
        }
    }

    /// Devices send registrations and opt-outs at the same time. Whatever the order, the opt-out holds.
    @Test func `an opt-out that races registrations of the same device holds`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let writers = try (0..<3).map { _ in try fixture.reopened() }
            let failures = Mutex(0)
            let devices = 1...40
            // Each of the writers is a process of its own.
            DispatchQueue.concurrentPerform(iterations: writers.count) { index in
                for number in devices {
                    let request = record(
                        number, app, user: "user-\(number)", device: "device-\(number)",
                        index == 0 ? .optOut : .register)
                    do { _ = try writers[index].registrations.register([request]) } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
            #expect(failures.withLock { $0 } == 0)
            for number in devices { #expect(try isOptedOut(number, app, fixture) == true) }
        }
    }
}
