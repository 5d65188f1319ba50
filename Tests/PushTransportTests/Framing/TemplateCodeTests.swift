import PushTransport
import TestSupport
import Testing

/// Tests of the size of header blocks, and of the entries in HPACK's table.
@Suite struct TemplateCodeTests {
    /// A session whose blocks are decoded when they are sent.
    private final class Reader {
        let fixture: SessionFixture
        let inflater = ReferenceInflater()
        private var tag: UInt64 = 0

        init(_ settings: [(UInt8, UInt32)] = [], _ change: (inout HTTP2Configuration) -> Void = { _ in })
            throws
        {
            fixture = try SessionFixture(change)
            fixture.greet(settings)
            _ = fixture.send()
        }

        /// Sends a request that is answered immediately.
        func send(_ template: RequestTemplate? = nil) throws -> (
            block: [UInt8], fields: [ReferenceInflater.Field]
        ) {
            let tag = self.tag
            self.tag += 1
            fixture.submit(tag, body: "", id: Self.id, of: template)
            let frame = try #require(WireFrame.parse(fixture.send()).last { $0.type == 1 })
            fixture.receive(WireFrame.frame(1, flags: 5, frame.stream, [0x88]))
            return (frame.payload, try #require(inflater.inflate(frame.payload)))
        }

        func settings(_ values: [(UInt8, UInt32)]) {
            fixture.receive(WireFrame.settings(values))
            for (identifier, value) in values where identifier == 1 { inflater.limitTable(to: Int(value)) }
        }
        static let id = "00000000-0000-8000-8000-000000000000"
    }

    private static func template(topic: String = "com.example.app", token: String = "abc") throws
        -> RequestTemplate
    {
        let token = token + String(repeating: "t", count: 200)
        return try RequestTemplate(SessionFixture.pushLike(topic: topic, token: token))
    }

    /// `:method`, `:scheme`, `:authority`, topic, type and authorization take one byte each. The name of the
    /// path is in the static table: one byte, a length and "/3/device/nn". The name of the id is in the
    /// dynamic table.
    private static let steadyBytes = 6 + (1 + 1 + "/3/device/nn".utf8.count) + (2 + 1 + Reader.id.utf8.count)

    @Test func `after the first requests, a block contains indexes, path and id`() throws {
        let reader = try Reader()
        let template = try Self.template()
        var sizes: [Int] = []
        var tables: [Int] = []
        for _ in 0..<100 {
            let (block, fields) = try reader.send(template)
            #expect(fields.map(\.name).last == "apns-id" && fields.count == 8)
            sizes.append(block.count)
            tables.append(reader.inflater.tableBytes)
        }
        #expect(sizes[99] == Self.steadyBytes && sizes[50] == Self.steadyBytes)
        // Topic and type enter the table once the job has had many requests.
        #expect(sizes[0] > 280 && sizes[20] < 110 && sizes[20] > Self.steadyBytes)
        #expect(Set(tables[1..<32]).count == 1 && Set(tables[33...]).count == 1 && tables[99] > tables[20])
    }

    @Test
    func `a secret stays out of the table if the settings require this, and is marked as never indexed`()
        throws
    {
        let reader = try Reader([]) { $0.indexesSecrets = false }
        let template = try Self.template()
        for _ in 0..<100 {
            let (block, fields) = try reader.send(template)
            let secret = try #require(fields.first { $0.name == "authorization" })
            #expect(secret.isNeverIndexed && block.count > 200)
            #expect(fields.filter { $0.isNeverIndexed }.count == 1)
        }
        #expect(reader.inflater.tableBytes < 250)
    }

    @Test func `a renewed secret enters the table with the next request`() throws {
        let reader = try Reader()
        for token in ["one", "two", "three"] {
            let template = try Self.template(token: token)
            #expect(try reader.send(template).block.count > 200)
            let (block, fields) = try reader.send(template)
            #expect(block.count < 110)
            #expect(fields.first { $0.name == "authorization" }?.value.hasPrefix("bearer \(token)") == true)
        }
    }

    @Test func `a peer without a header table receives literals`() throws {
        let reader = try Reader()
        reader.settings([(1, 0)])
        let template = try Self.template()
        for number in 0..<100 {
            let (block, fields) = try reader.send(template)
            #expect((block.first == 0x20) == (number == 0), "the update is due once")
            #expect(fields.count == 8 && reader.inflater.tableBytes == 0)
        }
    }

    @Test func `a lowered table size is announced at the start of the next block`() throws {
        let reader = try Reader()
        let template = try Self.template()
        for _ in 0..<100 { _ = try reader.send(template) }
        reader.settings([(1, 400)])
        #expect(try reader.send(template).block.starts(with: [0x3F, 0xF1, 0x02]))
        for _ in 0..<100 { _ = try reader.send(template) }
        #expect((301...400).contains(reader.inflater.tableBytes))
        #expect(try reader.send(template).block.count < 110)
        reader.settings([(1, 4_096)])
        #expect(try reader.send(template).block.starts(with: [0x3F, 0xE1, 0x1F]))
        for _ in 0..<1_100 { _ = try reader.send(template) }
        // By now, the path has four digits.
        #expect(try reader.send(template).block.count == Self.steadyBytes + 2)
    }

    @Test func `small jobs leave the header table to a large job`() throws {
        let reader = try Reader()
        let large = try Self.template()
        for _ in 0..<40 { _ = try reader.send(large) }
        let table = reader.inflater.tableBytes
        for number in 0..<200 {
            _ = try reader.send(try Self.template(topic: "com.example.app\(number)"))
            let (block, _) = try reader.send(large)
            #expect(block.count <= Self.steadyBytes + 1 && reader.inflater.tableBytes == table)
        }
    }

    @Test func `jobs that together exceed the table evict each other less and less`() throws {
        let reader = try Reader()
        let topic = String(repeating: "t", count: 200)
        let jobs = try (0..<40).map { try Self.template(topic: "com.example.\(topic)\($0)") }
        var late = 0
        for round in 0..<400 {
            for job in jobs {
                let (block, fields) = try reader.send(job)
                #expect(fields.count == 8)
                if round >= 300 { late += block.count }
            }
        }
        // A literal topic, an id and a path. Nearly always, all fields of the account are sent as indexes.
        #expect(late / (100 * jobs.count) < 340)
        #expect(reader.fixture.failure == nil)
    }
}
