import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct WorkChangeTests {
    private let noon = TemporaryStore.noon

    @Test func `the change number changes exactly when the work of existing parts changes`()
        throws
    {
        try TemporaryStore.with { fixture in
            let store = fixture.store
            var last = try store.work.changeNumber()
            func expectChange(_ isExpected: Bool, _ what: Comment, _ body: () throws -> Void) throws {
                try body()
                let number = try store.work.changeNumber()
                #expect((number != last) == isExpected, what)
                last = number
            }
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            try fixture.accept(Array(part.ids.prefix(1)), of: id)
            try expectChange(false, "submitted, prepared, sent") {}
            try expectChange(true, "paused") { _ = try store.pause.pause(id) }
            try expectChange(false, "paused again") { _ = try store.pause.pause(id) }
            try expectChange(true, "resumed") { _ = try store.pause.resume(id) }
            try expectChange(false, "held as damaged") {
                _ = try store.repair.hold(id, because: "tests", at: noon)
            }
            try expectChange(false, "not released: it is damaged") { _ = try store.repair.release(id) }
            try expectChange(true, "recounted") { _ = try store.repair.recount(id, at: noon) }
            try expectChange(true, "stopped") { _ = try store.stop.stop(id, at: noon) }
            try expectChange(false, "stopped again") { _ = try store.stop.stop(id, at: noon) }
        }
    }
}
