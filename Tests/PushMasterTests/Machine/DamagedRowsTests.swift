import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import PushWire
import TestSupport
import Testing

/// One column in the rows of one delivery. Each column is damaged in turn, and every other delivery must end.
@Suite struct DamagedRowsTests {
    struct Column: CustomTestStringConvertible, Sendable {
        var table: String
        var name: String
        var values: [String]
        var testDescription: String { "\(table).\(name)" }
    }

    private static let numbers = ["-1", "0", "3", "9223372036854775807", "-9223372036854775808"]
    private static let texts = ["''", "'x'", "'[7,'", "'[-1]'", "'{}'", "'tokens'", "'parameters'"]

    static let columns: [Column] =
        [
            "label", "apps", "target", "target_parameters", "state",
        ].map { Column(table: "delivery", name: $0, values: texts) }
        + [
            "service_id", "start_at", "validity", "expires_at", "priority", "rate", "retry_count",
            "retry_period",
            "tracking", "created_ms", "started_ms", "finished_ms", "prepared", "app_cursor", "page_cursor",
            "value_cursor", "subscription_cursor", "last_ordinal", "retention_days", "removed_ms",
            "is_removing", "open_until",
        ].map { Column(table: "delivery", name: $0, values: numbers) }
        + ["delivery_id", "app_id", "first_number", "count", "content"].map {
            Column(table: "part", name: $0, values: numbers)
        }
        + [
            "delivery_id", "app_id", "waiting", "next_due", "is_open", "has_pending", "deadline",
            "generation",
            "revision",
        ].map { Column(table: "part_progress", name: $0, values: numbers) }
        + [("part", "members"), ("part_progress", "states")].map {
            Column(
                table: $0, name: $1,
                values: ["x''", "x'00'", "x'01'", "x'FFFFFFFFFFFFFFFFFFFF'", "x'06018080808080'"])
        }
        + [("part", "id"), ("part_progress", "part_id")].map {
            Column(table: $0, name: $1, values: ["-1", "0", "77777"])
        }
        + ["message_index", "attempts", "due_at"].map {
            Column(table: "part_note", name: $0, values: numbers)
        }
        + [Column(table: "part_note", name: "provider_id", values: texts)]
        + ["app_id", "state", "cause", "minute", "count"].map {
            Column(table: "tally", name: $0, values: numbers)
        }
        + ["code", "failure_type", "failure_reason"].map { Column(table: "cause", name: $0, values: numbers) }
        + [Column(table: "cause", name: "word", values: texts)]
        + [
            "account_id", "delivery_id", "gravity", "decided_ms", "count", "first_subscription",
            "last_subscription",
        ].map { Column(table: "held_verdict", name: $0, values: numbers) }
        + ["subscriptions", "dead_since"].map {
            Column(
                table: "held_verdict", name: $0, values: ["x''", "x'00'", "x'01'", "x'FFFFFFFFFFFFFFFFFFFF'"])
        }
        + [Column(table: "held_verdict", name: "provider_reason", values: texts)]
        + [Column(table: "held_verdict", name: "id", values: ["-1", "0", "77777"])]

    @Test(arguments: columns)
    func `no column value in one delivery prevents other deliveries from finishing`(column: Column) throws {
        for value in column.values {
            try Self.story(damaging: column, with: value, prepared: true)
            if column.table == "delivery" { try Self.story(damaging: column, with: value, prepared: false) }
        }
    }

    @Test func `columns that hide a message do not prevent other deliveries from ending`() throws {
        for statement in [
            "UPDATE part_progress SET waiting = waiting - 1 WHERE delivery_id = 1",
            "UPDATE part_progress SET is_open = 0, has_pending = 0 WHERE delivery_id = 1",
            "UPDATE part SET count = 0 WHERE delivery_id = 1",
            "UPDATE tally SET count = count + 1 WHERE delivery_id = 1; UPDATE delivery SET expires_at = 1 WHERE id = 1",
            "DELETE FROM part_progress WHERE delivery_id = 1",
        ] {
            try Self.story(prepared: true, damage: statement)
        }
    }

    @Test(arguments: ["delivery_content", "delivery_app"])
    func `missing rows in one delivery do not prevent other deliveries from ending`(table: String) throws {
        for prepared in [true, false] {
            try Self.story(prepared: prepared, damage: "DELETE FROM \(table) WHERE delivery_id = 1")
        }
    }

    @Test(
        arguments: ["= 0", "= -1", "= 7", "= 9223372036854775807", "= 9223372036854770907", nil] as [String?])
    func `a damaged table of message numbers does not put any delivery on hold`(value: String?) throws {
        let damage = value.map { "UPDATE numbering SET last_message \($0)" } ?? "DELETE FROM numbering"
        try Self.story(prepared: true, damage: damage, holdsNobody: true)
    }

    /// Damages a prepared delivery so that its rows can no longer be read as they were. The delivery must be
    /// reported by name.
    @Test(arguments: [
        "UPDATE part_progress SET delivery_id = 99 WHERE delivery_id = 1",
        "UPDATE part_progress SET is_open = 0 WHERE delivery_id = 1",
        "UPDATE part_progress SET is_open = 0, has_pending = 0, next_due = NULL WHERE delivery_id = 1",
        "DELETE FROM part_progress WHERE delivery_id = 1",
        "DELETE FROM part WHERE delivery_id = 1",
        "UPDATE part SET first_number = first_number + 2 WHERE delivery_id = 1",
        """
        INSERT INTO part SELECT id + 3, delivery_id, app_id, 7, count, members, content FROM part WHERE delivery_id = 1;
        INSERT INTO part_progress SELECT part_id + 3, delivery_id, app_id, states, waiting, next_due, is_open,
            has_pending, deadline, generation, revision, held_until FROM part_progress WHERE delivery_id = 1;
        UPDATE delivery SET last_ordinal = 12 WHERE id = 1
        """,
    ])
    func `a delivery with incomplete parts is reported once, put on hold, and affects no other delivery`(
        damage: String
    )
        throws
    {
        try Self.story(prepared: true, damage: damage, named: DeliveryID(rawValue: 1))
    }

    static let columnsOfMessages: [Column] =
        ["open_until", "last_ordinal", "expires_at", "prepared", "priority", "service_id"].map {
            Column(table: "delivery", name: $0, values: numbers)
        }
        + ["state", "apps"].map { Column(table: "delivery", name: $0, values: texts) }
        + [Column(table: "part", name: "content", values: numbers)]
        + ["id", "delivery_id", "revision_id", "expires_at"].map {
            Column(table: "message_content", name: $0, values: numbers)
        }
        + ["digest", "content"].map {
            Column(table: "message_content", name: $0, values: ["x''", "x'00FF'"])
        }
        + ["delivery_id", "revision_id", "app_id"].map {
            Column(table: "message_revision", name: $0, values: numbers)
        }

    @Test(arguments: columnsOfMessages)
    func `no column value in a single message prevents other messages from finishing or being sent`(
        column: Column
    )
        throws
    {
        for value in column.values {
            try MasterFixture.with(damages: true) { fixture in
                let app = try fixture.app("one", subscribers: 6)
                let sick = try fixture.send(to: 0..<6, of: app)
                #expect(sick == [DeliveryID(rawValue: 1)])
                let sound = try fixture.submit(app)
                let row = column.table == "delivery" ? "id = 1" : "delivery_id = 1"
                try fixture.tamper(
                    """
                    PRAGMA ignore_check_constraints = 1; PRAGMA foreign_keys = 0;
                    UPDATE OR IGNORE \(column.table) SET \(column.name) = \(value) WHERE \(row)
                    """, inTransaction: false)
                let others = try fixture.send(to: 0..<3, of: app, alert: "other")
                let sender = try Sender(fixture)
                try sender.run(until: [sound], "\(column) = \(value)") {
                    // Messages that joined the damaged delivery are put on hold together with it.
                    try others.subtracting([DeliveryID(rawValue: 1)]).allSatisfy {
                        try fixture.counts($0).pending == 0
                    }
                }
                #expect(try fixture.counts(sound).sent == 6, "\(column) = \(value)")
            }
        }
    }

    private static func story(damaging column: Column, with value: String, prepared: Bool) throws {
        let row =
            switch column.table {
            case "delivery": "id = 1"
            case "part_note": "part_id IN (SELECT id FROM part WHERE delivery_id = 1)"
            default: "delivery_id = 1"
            }
        try story(
            prepared: prepared,
            damage: """
                PRAGMA ignore_check_constraints = 1;
                UPDATE OR IGNORE \(column.table) SET \(column.name) = \(value) WHERE \(row)
                """)
    }

    private static func story(
        prepared: Bool, damage: String, named: DeliveryID? = nil, holdsNobody: Bool = false
    ) throws {
        try MasterFixture.with(damages: true) { fixture in
            let app = try fixture.app("one", subscribers: 6)
            let sick = try fixture.submit(app)
            let sound = try fixture.submit(app)
            if prepared {
                let part = try #require(try fixture.prepare(sick).first)
                try fixture.makeRetrying(Array(part.ids.prefix(2)), of: sick)
                try fixture.holdVerdicts(about: Array(part.ids.dropFirst(2).prefix(2)), of: sick)
            }
            _ = try fixture.prepare(sound)
            let last = try fixture.submit(app)
            try fixture.tamper(damage, inTransaction: false)
            let sender = try Sender(fixture)
            try sender.run(until: [sound, last], named: named, "\(damage)")
            for delivery in [sound, last] {
                #expect(try fixture.counts(delivery).sent == 6, "\(damage)")
            }
            if holdsNobody { #expect(try fixture.store.repair.held() == [], "\(damage)") }
        }
    }
}

/// Replaces the loop and its children: it requests parts and retries from the store, and accepts every
/// message.
private final class Sender {
    private let fixture: MasterFixture
    private let inbox: WriterInbox
    private let reader: Mailbox<StoreReader.Job>
    private let writing: WriterThreads
    private let reading: OtherThread
    private var deliveries: [JobID: DeliveryID] = [:]
    private var read: Set<PartID> = []
    private var damaged: Set<DeliveryID> = []
    private var grants: UInt32 = 0

    init(_ fixture: MasterFixture) throws {
        self.fixture = fixture
        let inbox = try WriterInbox(store: fixture.store, loop: fixture.loop, rules: .usual)
        let reader = try Mailbox<StoreReader.Job>()
        let (loop, store, key) = (fixture.loop, fixture.store, fixture.key)
        let messages = try store.messageReader()
        let gateways = try GatewaySettings(ServerConfiguration())
        self.inbox = inbox
        self.reader = reader
        writing = WriterThreads(inbox, pollSeconds: 1)
        reading = OtherThread {
            var reading = StoreReader(
                mailbox: reader, loop: loop, store: store, messages: messages, key: key, gateways: gateways,
                feedbackPeriodSeconds: 21_600)
            reading.run()
        }
    }

    /// - Parameter named: A delivery that must also be reported as damaged.
    func run(
        until ends: Set<DeliveryID>, named: DeliveryID? = nil, _ what: String,
        and condition: () throws -> Bool = { true }
    ) throws {
        var waiting = ends
        var next = Clocks.monotonic()
        try eventually("the others finish: \(what)") {
            if Clocks.monotonic() >= next {
                next = Clocks.monotonic().advanced(byMilliseconds: 10)
                reader.send(.findParts(after: nil))
                reader.send(.findRetries)
            }
            for event in fixture.loop.wait(atMostMilliseconds: 5) {
                if case .finished(let finished) = event { waiting.subtract(finished) }
                take(event)
            }
            return try waiting.isEmpty && (named == nil || damaged == [named]) && condition()
        }
        reader.send(.stop)
        inbox.send(.stop)
        #expect(writing.hasEnded() && reading.hasEnded(), "\(what)")
    }

    private func take(_ event: LoopEvent) {
        switch event {
        case .job(let job): deliveries[job.order.job] = job.order.delivery
        case .parts(let found, _, _):
            for item in found where read.insert(item.part.id).inserted {
                order(.range(item.part.id, item.part.messages), item.account)
            }
        case .retriesDue(let due): for (app, account) in due { order(.retries(app, limit: 100), account) }
        case .unread(let grant): reader.send(.released(grant))
        case .unreadable(let delivery, let why): inbox.send(.hold(delivery, why: why))
        case .damaged(let delivery, _):
            damaged.insert(delivery)
            reader.send(.finished(delivery))
        case .finished(let deliveries): for delivery in deliveries { reader.send(.finished(delivery)) }
        case .filled(let order, let job, let frame, _, _):
            if let job, let delivery = deliveries[job] { accept(frame, of: delivery) }
            reader.send(.released(order.grant))
        default: break
        }
    }

    private func order(_ source: ReadOrder.Source, _ account: AccountID) {
        grants += 1
        reader.send(
            .read(
                ReadOrder(
                    grant: GrantID(rawValue: grants), child: ChildID(rawValue: 1), account: account,
                    source: source)))
    }

    private func accept(_ bytes: [UInt8], of delivery: DeliveryID) {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        guard let frame = try? decoder.next(), let grant = try? GrantFrame(frame) else { return }
        var batch = OutcomeBatch(delivery: delivery)
        var offset = GrantFrame.firstEntry
        for _ in 0..<grant.count {
            let entry = grant.entry(at: offset)
            offset = entry.next
            batch.accepted.append(entry.message)
        }
        inbox.send(.record(.init(child: ChildID(rawValue: 1), batches: [batch], settlements: [])))
    }
}
