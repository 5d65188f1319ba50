import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import PushWire
import Testing

/// Tests the text of single messages, and which subscriber fields are sent with a message.
@Suite struct StoreReaderMessagesTests {
    @Test(arguments: ["Hi", "Hi {{firstName}}"])
    func `parameters are sent only if a text requires them`(text: String) throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 1)
            let parameters = #"{"firstName":"Zoë"}"#
            try fixture.tamper("UPDATE subscription SET parameters = '\(parameters)'")
            let delivery = try #require(try fixture.send(to: 0..<1, of: app, alert: text).first)
            let runner = try StoreReaderRunner(fixture)
            let part = try #require(try runner.findParts().first?.part)
            let first = Self.parameters(of: try runner.frame(.range(part.id, part.messages)))
            #expect(first == (text == "Hi" ? "" : parameters))
            try fixture.makeRetrying(part.ids, of: delivery)
            #expect(Self.parameters(of: try runner.frame(.retries(app.id, limit: 10))) == first)
            runner.stop()
        }
    }

    private static func parameters(of frame: GrantFrame) -> String {
        String(decoding: frame.bytes[frame.entry(at: GrantFrame.firstEntry).parameters], as: UTF8.self)
    }

    @Test func `single messages are granted by content, for the first attempt and for retries`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 6)
            let delivery = try #require(try fixture.send(to: 0..<6, of: app).first)
            let runner = try StoreReaderRunner(fixture)
            let parts = try runner.findParts().map(\.part)
            #expect(parts.count == 2)
            let first = try parts.map { try runner.read(.range($0.id, $0.messages)) }
            #expect(first.map(\.count) == [3, 3] && Set(first.map(\.job)).count == 2)
            for grant in first { runner.mailbox.send(.released(grant.grant)) }
            try fixture.makeRetrying(parts.flatMap(\.ids), of: delivery)
            #expect(try runner.dueApps() == [app.id])
            var again: [(grant: GrantID, job: JobID?, count: Int, messages: [MessageID])] = []
            for _ in 0..<3 { again.append(try runner.read(.retries(app.id, limit: 100))) }
            #expect(again.map(\.count) == [3, 3, 0])
            // The jobs are the same as in the first pass.
            #expect(again.prefix(2).map(\.job) == first.map(\.job))
            #expect(again.prefix(2).map { $0.messages.sorted() } == parts.map(\.ids))
            runner.stop()
        }
    }

    @Test func `if many contents are due again, each is granted once, whatever is on hold`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 300)
            var deliveries: Set<DeliveryID> = []
            for number in 0..<300 {
                deliveries.formUnion(try fixture.send(to: number..<number + 1, of: app, alert: "\(number)"))
            }
            let delivery = try #require(deliveries.first)
            let parts = try fixture.store.work.openParts().parts
            try fixture.makeRetrying(parts.flatMap(\.ids), of: delivery)
            let runner = try StoreReaderRunner(fixture)
            #expect(try runner.dueApps() == [app.id])
            var granted: [MessageID] = []
            while case let read = try runner.read(.retries(app.id, limit: 100)), read.count > 0 {
                granted += read.messages
            }
            #expect(granted.sorted() == parts.flatMap(\.ids))
            runner.stop()
        }
    }
}
