import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct HitDirectoryTests {
    private static let noon = TemporaryStore.noon

    private func with(
        _ format: MessageIDFormat, _ story: (TemporaryStore, App, DeliveryID, HitDirectory) throws -> Void
    ) throws {
        try TemporaryStore.with { fixture in
            var app = try fixture.app()
            var settings = app.settings
            settings.messageIDFormat = format == .uuid ? .uuid : .integer
            app = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            if format == .number {
                try fixture.alter("UPDATE app_revision SET message_id_format = 'number'")
            }
            try fixture.subscribe(1...20, to: app)
            let id = try fixture.submit(apps: [app])
            try fixture.prepare(id)
            try story(
                fixture, app, id,
                HitDirectory(fixture.store.hitReader, MessageIDCipher(key: fixture.key)))
        }
    }

    private func uuid(_ message: MessageID, _ id: DeliveryID, _ fixture: TemporaryStore)
        -> TrackingHit.Message
    {
        .uuid(MessageIDCipher(key: fixture.key).opaqueID(of: message, in: id))
    }

    private func integer(_ number: Int64, _ id: DeliveryID, _ fixture: TemporaryStore) -> TrackingHit.Message
    {
        .integer(UInt64(MessageIDCipher(key: fixture.key).integers(of: id).id(of: number)))
    }

    private func find(_ message: TrackingHit.Message, _ id: DeliveryID, _ directory: HitDirectory) throws
        -> Int64?
    {
        let hit = TrackingHit(message: message, delivery: id, kind: .received)
        let found = try directory.find(hit, at: Self.noon)
        switch directory.known(hit, at: Self.noon) {
        case .message(let known): #expect(known == found)
        case .noMessage: #expect(found == nil)
        case .unread: #expect(found == nil)
        }
        return found?.number
    }

    @Test func `every message is found by its id, in each format of ids`() throws {
        for format in [MessageIDFormat.uuid, .integer] {
            try with(format) { fixture, app, id, directory throws in
                for entry in try fixture.log(id) {
                    #expect(try find(uuid(entry.message, id, fixture), id, directory) == entry.ordinal)
                    #expect(try find(integer(entry.ordinal, id, fixture), id, directory) == entry.ordinal)
                }
            }
        }
    }

    @Test func `a plain message number is accepted only for apps that use plain numbers`() throws {
        try with(.number) { fixture, _, id, directory throws in
            for number in 1...20 as ClosedRange<Int64> {
                let found = try find(.integer(UInt64(number)), id, directory)
                #expect(found == number)
            }
            let beyond = try find(.integer(21), id, directory)
            #expect(beyond == nil)
            let encrypted = integer(5, id, fixture)
            guard case .integer(let bits) = encrypted, bits > 20 else { return }
            let found = try find(encrypted, id, directory)
            #expect(found == nil)
        }
        try with(.integer) { _, _, id, directory throws in
            // The chance of guessing a valid number is 20 in two thousand million.
            for number in 1...20 as ClosedRange<UInt64> {
                let found = try find(.integer(number), id, directory)
                #expect(found == nil)
            }
        }
    }

    @Test func `forged ids, ids from another delivery or instance, and overflowing ids match no message`()
        throws
    {
        try with(.integer) { fixture, app, id, directory throws in
            let other = try fixture.submit(apps: [app])
            try fixture.prepare(other)
            let message = try fixture.log(id)[0].message
            #expect(try find(uuid(message, id, fixture), other, directory) == nil)
            #expect(try find(uuid(message, other, fixture), id, directory) == nil)
            #expect(try find(integer(1, other, fixture), id, directory) == nil)
            #expect(try find(uuid(message, id, fixture), DeliveryID(rawValue: 99), directory) == nil)
            #expect(try find(.uuid(OpaqueID(high: 0, low: 0)), id, directory) == nil)
            for bits in [0, 1 << 31, 1 << 32, .max, UInt64(bitPattern: -1)] as [UInt64] {
                #expect(try find(.integer(bits), id, directory) == nil)
            }
            var dice = SeededRandom(seed: 15)
            for _ in 0..<200 {
                let guess = UInt64.random(in: 1..<1 << 31, using: &dice)
                #expect(try find(.integer(guess), id, directory) == nil)
            }
            try TemporaryStore.with { foreign throws in
                #expect(try find(uuid(message, id, foreign), id, directory) == nil)
            }
        }
    }

    @Test func `a part that is prepared later is found once it exists, and a removed part is not found`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10_000, to: app)
            let id = try fixture.submit(apps: [app])
            let directory = HitDirectory(fixture.store.hitReader, MessageIDCipher(key: fixture.key))
            let last = TrackingHit(
                message: integer(10_000, id, fixture), delivery: id, kind: .received)
            #expect(try directory.find(last, at: Self.noon) == nil)
            #expect(directory.known(last, at: Self.noon) == .unread)
            let step = try fixture.store.preparation.prepareChunk(of: id, at: Self.noon)
            #expect(step.part != nil && !step.isComplete)
            #expect(try find(integer(1, id, fixture), id, directory) == 1)
            #expect(try directory.find(last, at: Self.noon) == nil)
            let parts = try fixture.prepare(id)
            #expect(parts.count >= 2)
            #expect(try find(integer(10_000, id, fixture), id, directory) == 10_000)
            // From now on, nothing has to be read to give a negative answer.
            let beyond = TrackingHit(message: integer(10_001, id, fixture), delivery: id, kind: .received)
            #expect(directory.known(beyond, at: Self.noon) == .noMessage)
            try fixture.acceptAll(try fixture.log(id).map(\.message), of: id)
            _ = try fixture.retainAll(at: TemporaryStore.noon(afterDays: 30))
            directory.forget(id)
            #expect(try find(integer(1, id, fixture), id, directory) == nil)
        }
    }

    @Test func `messages without ids cannot be reported`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(apps: [app]) { $0.tracking = false }
            try fixture.prepare(id)
            let directory = HitDirectory(fixture.store.hitReader, MessageIDCipher(key: fixture.key))
            #expect(try find(integer(1, id, fixture), id, directory) == nil)
        }
    }
}
