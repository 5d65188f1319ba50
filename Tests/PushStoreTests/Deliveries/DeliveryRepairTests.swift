import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryRepairTests {
    private let noon = TemporaryStore.noon

    @Test func `tally and columns are recalculated from the messages, and the delivery continues`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let before = try fixture.submit(apps: [app])
            try fixture.prepare(before)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            try fixture.prepare(try fixture.submit(apps: [app]))
            try fixture.accept(Array(parts[0].ids.prefix(100)), of: id)
            try fixture.alter(
                """
                UPDATE tally SET count = 3 WHERE delivery_id = \(id.rawValue);
                UPDATE delivery SET last_ordinal = 10 WHERE id = \(id.rawValue);
                UPDATE part_progress SET waiting = 9, next_due = 8, is_open = 0, has_pending = 0
                    WHERE part_id = \(parts[1].id.rawValue)
                """)
            try fixture.store.repair.hold(id, because: "test", at: noon)
            #expect(try fixture.store.repair.held().map(\.delivery) == [id])
            let result = try fixture.store.repair.recount(id, at: noon)
            #expect(result.isRepaired && result.repairedParts == 1)
            #expect(
                result.before.sent == 3 && result.before.pending == 7 && result.after.sent == 100
                    && result.after.pending == 5_900)
            #expect(try fixture.store.repair.held() == [])
            #expect(try fixture.store.work.openParts().parts.filter { $0.delivery == id } == parts)
            #expect(try fixture.counts(id) == result.after)
        }
    }

    @Test(arguments: [
        "count = 9223372036854775807", "count = -9223372036854775808", "count = -1", "state = 99",
        "cause = 256",
        "minute = -1",
    ])
    func `an impossible count is left out, affects no other delivery, and is repaired`(damage: String) throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let ids = try (1...3).map { _ in try fixture.submit(apps: [app]) }
            for id in ids { try fixture.accept(Array(try fixture.prepare(id)[0].ids.prefix(4)), of: id) }
            let sick = ids[1]
            try fixture.alter(
                """
                INSERT INTO tally (delivery_id, app_id, state, cause, minute, count)
                    VALUES (\(sick), \(app.id), 4, 0, 1, 9223372036854775807);
                UPDATE tally SET \(damage) WHERE delivery_id = \(sick) AND minute > 1
                """)
            let list = try fixture.store.deliveries.list()
            #expect(list.map(\.isMiscounted) == [false, true, false])
            #expect(
                list[0].counts == list[2].counts && list[0].counts.sent == 4 && list[0].counts.pending == 6)
            #expect(list[1].counts.targeted == 10)
            _ = try fixture.store.deliveries.reasons(of: sick)
            try fixture.accept(Array(try fixture.log(ids[2]).map(\.message).suffix(6)), of: ids[2])
            #expect(try fixture.state(ids[2]) == .finished)
            let result = try fixture.store.repair.recount(sick, at: noon)
            #expect(result.isRepaired && result.after.sent == 4 && result.after.pending == 6)
            #expect(try fixture.store.deliveries.summary(of: sick)?.isMiscounted == false)
        }
    }

    @Test
    func `a delivery that cannot be recalculated from its messages stays on hold until its validity ends`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            try fixture.prepare(id)
            try fixture.alter("UPDATE delivery SET apps = '[1'")
            try fixture.store.repair.hold(id, because: "test", at: noon)
            let result = try fixture.store.repair.recount(id, at: noon)
            #expect(result.problem?.contains("cannot read") == true)
            #expect(try fixture.store.repair.held().map(\.delivery) == [id])
            #expect(try fixture.store.work.openParts().parts.isEmpty)
            while try fixture.store.outcomes.expire(at: noon.later(seconds: 61)).hasMore {}
            #expect(try fixture.state(id).isFinal && fixture.counts(id).cancelled == 10)
            #expect(try fixture.store.repair.held() == [])
        }
    }

    /// Damage that a person or a disk may cause to the rows of a delivery with two parts, and its repair.
    enum Damage: CaseIterable {
        case unknownOwner, otherApp, closed, hidden, noProgress, noPart, wrongNumber, overlap

        func statements(_ part: PartID) -> (damage: String, repair: String) {
            let progress = "UPDATE part_progress SET"
            let (here, id) = ("WHERE part_id = \(part)", part.rawValue)
            switch self {
            case .unknownOwner: return ("\(progress) delivery_id = 99 \(here)", "")
            case .otherApp: return ("\(progress) app_id = 77 \(here)", "")
            case .closed: return ("\(progress) is_open = 0 \(here)", "")
            case .hidden: return ("\(progress) is_open = 0, has_pending = 0 \(here)", "")
            case .noProgress:
                return (
                    "CREATE TABLE kept AS SELECT * FROM part_progress \(here); DELETE FROM part_progress \(here)",
                    "INSERT INTO part_progress SELECT * FROM kept; DROP TABLE kept"
                )
            case .noPart:
                return (
                    "CREATE TABLE kept AS SELECT * FROM part WHERE id = \(id); DELETE FROM part WHERE id = \(id)",
                    "INSERT INTO part SELECT * FROM kept; DROP TABLE kept"
                )
            case .wrongNumber:
                return (
                    "UPDATE part SET first_number = first_number - 700 WHERE id = \(id)",
                    "UPDATE part SET first_number = first_number + 700 WHERE id = \(id)"
                )
            case .overlap:
                return (
                    "UPDATE part SET id = \(id - 900) WHERE id = \(id); \(progress) part_id = \(id - 900) \(here)",
                    """
                    UPDATE part SET id = \(id) WHERE id = \(id - 900);
                    \(progress) part_id = \(id) WHERE part_id = \(id - 900)
                    """
                )
            }
        }

        /// Whether the other rows show the original values.
        var isTold: Bool { [.unknownOwner, .otherApp, .closed, .hidden].contains(self) }
    }

    /// Accepts more messages than fit into one call.
    private func acceptFirst(of parts: [Part], of id: DeliveryID, _ fixture: TemporaryStore) throws {
        try fixture.accept(Array(parts[0].ids.prefix(2_000)), of: id)
        try fixture.accept(Array(parts[0].ids.dropFirst(2_000)), of: id)
    }

    @Test(arguments: Damage.allCases)
    func `a recount misses no message, and reports a fault if messages cannot be counted`(damage: Damage)
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let other = try fixture.submit(apps: [app])
            try fixture.prepare(other)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            let (harm, repair) = damage.statements(parts[1].id)
            try fixture.alter(harm)
            // Accepts the messages that can still be read. The delivery does not end as a result.
            try acceptFirst(of: parts, of: id, fixture)
            if damage != .overlap, damage != .wrongNumber, damage != .otherApp {
                #expect(try fixture.state(id) == .inProgress)
                #expect(try fixture.store.repair.held().map(\.delivery) == [id])
            }
            let result = try fixture.store.repair.recount(id, at: noon)
            #expect(result.isRepaired == damage.isTold, "\(result)")
            #expect(result.problem?.split(separator: "\n").count ?? 1 == 1)
            #expect(result.after.pending == 1_100 && result.after.sent == 4_900, "\(result)")
            if !damage.isTold {
                #expect(try fixture.store.repair.held().map(\.delivery) == [id])
                try fixture.alter(repair)
                #expect(try fixture.store.repair.recount(id, at: noon).isRepaired)
            }
            #expect(try fixture.store.repair.held().isEmpty)
            #expect(try fixture.store.work.openParts().parts.filter { $0.delivery == id } == [parts[1]])
            try fixture.accept(parts[1].ids, of: id)
            #expect(try fixture.state(id) == .finished && fixture.counts(id).sent == 6_000)
            #expect(try fixture.state(other) == .inProgress)
        }
    }

    @Test(arguments: [Damage.unknownOwner, .noPart, .wrongNumber, .overlap])
    func `a search for parts to send reports damaged parts and sends no messages from these parts`(
        damage: Damage
    )
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let other = try fixture.submit(apps: [app])
            let others = try fixture.prepare(other)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            let (harm, repair) = damage.statements(parts[1].id)
            try fixture.alter(harm)
            let open = try fixture.store.work.openParts()
            #expect(open.parts == others + [parts[0]])
            #expect(open.damaged.map(\.delivery) == [id])
            try fixture.store.repair.hold(id, because: "test", at: noon)
            #expect(try fixture.store.work.openParts().damaged.isEmpty)
            try fixture.alter(repair.isEmpty ? "SELECT 1" : repair)
            #expect(try fixture.store.repair.recount(id, at: noon).isRepaired)
            #expect(try fixture.store.work.openParts().parts == others + parts)
        }
    }

    @Test func `an ended delivery continues if a recount finds waiting messages in it`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            try acceptFirst(of: parts, of: id, fixture)
            try fixture.alter(
                """
                UPDATE part_progress SET is_open = 0 WHERE part_id = \(parts[1].id);
                UPDATE delivery SET state = 'finished', finished_ms = 1 WHERE id = \(id)
                """)
            let result = try fixture.store.repair.recount(id, at: noon)
            #expect(result.isRepaired && result.isReopened && result.repairedParts == 1)
            #expect(
                try fixture.state(id) == .inProgress && fixture.store.work.openParts().parts == [parts[1]])
        }
    }

    @Test(arguments: [Damage.unknownOwner, .hidden, .noProgress, .noPart])
    func `the end of validity ends a delivery with missing messages, and the missing messages are counted`(
        damage: Damage
    )
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            let parts = try fixture.prepare(id)
            let (harm, repair) = damage.statements(parts[1].id)
            try fixture.alter(harm)
            var lost: [DeliveryID: Int] = [:]
            let end = noon.later(seconds: 61)
            for _ in 0..<100 {
                let step = try fixture.store.outcomes.expire(at: end)
                lost.merge(step.lost) { $0 + $1 }
                if !step.hasMore { break }
            }
            #expect(lost == [id: 1_100])
            #expect(try !fixture.store.work.hasExpired(at: end))
            #expect(try fixture.state(id) == .finished && fixture.counts(id).cancelled == 6_000)
            try fixture.alter(repair.isEmpty ? "SELECT 1" : repair)
            #expect(try fixture.store.repair.recount(id, at: end).isReopened)
            while try fixture.store.outcomes.expire(at: end).hasMore {}
            #expect(try fixture.state(id) == .finished && fixture.counts(id).cancelled == 6_000)
        }
    }

    @Test func `a delivery that cannot end is found, and is put on hold or ended`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let ids = try (0..<3).map { _ in try fixture.submit(apps: [app]) }
            let parts = try ids.map { try #require(try fixture.prepare($0).first) }
            #expect(try fixture.store.repair.stranded().isEmpty)
            try fixture.alter(
                "UPDATE part_progress SET is_open = 0, has_pending = 0 WHERE part_id = \(parts[0].id)")
            try fixture.accept(parts[1].ids, of: ids[1])
            try fixture.alter("UPDATE delivery SET state = 'inProgress' WHERE id = \(ids[1])")
            let stranded = try fixture.store.repair.stranded()
            #expect(stranded.map(\.delivery) == Array(ids.prefix(2)))
            #expect(try fixture.store.repair.settle(stranded, at: noon) == [ids[1]])
            #expect(try fixture.store.repair.held().map(\.delivery) == [ids[0]])
            #expect(try fixture.store.repair.stranded().isEmpty)
            #expect(try fixture.store.repair.recount(ids[0], at: noon).isRepaired)
        }
    }

    @Test func `two deliveries that claim the same message numbers each keep their own answers`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...100, to: app)
            let first = try fixture.submit(apps: [app])
            let sound = try #require(try fixture.prepare(first).first)
            let second = try fixture.submit(apps: [app])
            let sick = try #require(try fixture.prepare(second).first)
            let (from, to) = (sick.id.rawValue, sick.id.rawValue - 50)
            try fixture.alter(
                """
                UPDATE part SET id = \(to) WHERE id = \(from);
                UPDATE part_progress SET part_id = \(to) WHERE part_id = \(from)
                """)
            try fixture.accept(sound.ids, of: first)
            #expect(try fixture.state(first) == .finished && fixture.counts(first).sent == 100)
            let told = try fixture.store.repair.recount(second, at: noon)
            #expect(told.problem?.contains("part \(sound.id) of delivery \(first)") == true)
            try fixture.alter(
                """
                UPDATE part SET id = \(from) WHERE id = \(to);
                UPDATE part_progress SET part_id = \(from) WHERE part_id = \(to)
                """)
            #expect(try fixture.store.repair.recount(second, at: noon).isRepaired)
        }
    }

    @Test func `no part and no retry of a delivery on hold is prepared or found`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            var batch = OutcomeBatch(delivery: id)
            batch.others = messages.values.map {
                MessageRecord(
                    message: $0, change: .retrying(due: noon.time, .soft, .unreachable, providerReason: "x"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            let reader = try fixture.store.messageReader()
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time) == messages.count)
            let next = try fixture.submit(apps: [app])
            for delivery in [id, next] { try fixture.store.repair.hold(delivery, because: "test", at: noon) }
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time) == 0)
            #expect(try reader.retries(app: app.id, dueBy: noon.time, limit: 10) { _, _, _, _ in } == 0)
            #expect(try fixture.nextToPrepare(at: noon) == nil)
            #expect(try fixture.store.work.openParts().parts.isEmpty)
        }
    }

    @Test func `if the end of a validity cannot be written, writing it is not retried forever`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            try fixture.prepare(id)
            let late = noon.later(seconds: 61)
            #expect(try fixture.store.work.hasExpired(at: late))
            try fixture.store.repair.hold(id, because: "test", expires: false, at: noon)
            #expect(try !fixture.store.work.hasExpired(at: late))
            #expect(throws: StoreError.self) {
                _ = try fixture.store.repair.recount(DeliveryID(rawValue: 99), at: noon)
            }
            #expect(try fixture.store.repair.recount(id, at: noon).isRepaired)
            #expect(try fixture.store.work.hasExpired(at: late))
        }
    }
}
