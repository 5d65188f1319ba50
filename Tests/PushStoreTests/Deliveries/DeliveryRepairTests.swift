import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliveryRepairTests {
    private let noon = TemporaryStore.noon

    @Test func `tally and columns become what the messages say, and the delivery goes on`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...6_000, to: app)
            let before = try house.submit(apps: [app])
            try house.prepare(before)
            let id = try house.submit(apps: [app])
            let parts = try house.prepare(id)
            try house.prepare(try house.submit(apps: [app]))
            try house.accept(Array(parts[0].ids.prefix(100)), of: id)
            try house.alter(
                """
                UPDATE tally SET count = 3 WHERE delivery_id = \(id.rawValue);
                UPDATE delivery SET last_ordinal = 10 WHERE id = \(id.rawValue);
                UPDATE part_progress SET waiting = 9, next_due = 8, is_open = 0, has_pending = 0
                    WHERE part_id = \(parts[1].id.rawValue)
                """)
            try house.store.repair.hold(id, because: "test", at: noon)
            #expect(try house.store.repair.held().map(\.delivery) == [id])
            let result = try house.store.repair.recount(id, at: noon)
            #expect(result.isRepaired && result.mendedParts == 1)
            #expect(
                result.before.sent == 3 && result.before.pending == 7 && result.after.sent == 100
                    && result.after.pending == 5_900)
            #expect(try house.store.repair.held() == [])
            #expect(try house.store.work.openParts().parts.filter { $0.delivery == id } == parts)
            #expect(try house.counts(id) == result.after)
        }
    }

    @Test(arguments: [
        "count = 9223372036854775807", "count = -9223372036854775808", "count = -1", "state = 99",
        "cause = 256",
        "minute = -1",
    ])
    func `a figure that cannot be is left out, harms no other delivery, and is mended`(damage: String) throws
    {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let ids = try (1...3).map { _ in try house.submit(apps: [app]) }
            for id in ids { try house.accept(Array(try house.prepare(id)[0].ids.prefix(4)), of: id) }
            let sick = ids[1]
            try house.alter(
                """
                INSERT INTO tally (delivery_id, app_id, state, cause, minute, count)
                    VALUES (\(sick), \(app.id), 4, 0, 1, 9223372036854775807);
                UPDATE tally SET \(damage) WHERE delivery_id = \(sick) AND minute > 1
                """)
            let list = try house.store.deliveries.list()
            #expect(list.map(\.isMiscounted) == [false, true, false])
            #expect(
                list[0].counts == list[2].counts && list[0].counts.sent == 4 && list[0].counts.pending == 6)
            #expect(list[1].counts.targeted == 10)
            _ = try house.store.deliveries.reasons(of: sick)
            try house.accept(Array(try house.log(ids[2]).map(\.message).suffix(6)), of: ids[2])
            #expect(try house.state(ids[2]) == .finished)
            let result = try house.store.repair.recount(sick, at: noon)
            #expect(result.isRepaired && result.after.sent == 4 && result.after.pending == 6)
            #expect(try house.store.deliveries.summary(of: sick)?.isMiscounted == false)
        }
    }

    @Test func `what messages do not tell stays held, and its validity ends it`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let id = try house.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            try house.prepare(id)
            try house.alter("UPDATE delivery SET apps = '[1'")
            try house.store.repair.hold(id, because: "test", at: noon)
            let result = try house.store.repair.recount(id, at: noon)
            #expect(result.problem?.contains("cannot read") == true)
            #expect(try house.store.repair.held().map(\.delivery) == [id])
            #expect(try house.store.work.openParts().parts.isEmpty)
            while try house.store.outcomes.expire(at: noon.later(seconds: 61)).hasMore {}
            #expect(try house.state(id).isFinal && house.counts(id).cancelled == 10)
            #expect(try house.store.repair.held() == [])
        }
    }

    /// What a hand or a disk does to the rows of a delivery of two parts, and how it is undone.
    enum Damage: CaseIterable {
        case unknownOwner, otherApp, closed, hidden, noProgress, noPart, wrongNumber, overlap

        func statements(_ part: PartID) -> (damage: String, mend: String) {
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

        /// Whether the other rows tell what was there.
        var isTold: Bool { [.unknownOwner, .otherApp, .closed, .hidden].contains(self) }
    }

    /// More than one call takes.
    private func acceptFirst(of parts: [Part], of id: DeliveryID, _ house: TemporaryStore) throws {
        try house.accept(Array(parts[0].ids.prefix(2_000)), of: id)
        try house.accept(Array(parts[0].ids.dropFirst(2_000)), of: id)
    }

    @Test(arguments: Damage.allCases)
    func `a recount misses no message, and says what is wrong where it cannot be known`(damage: Damage) throws
    {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...6_000, to: app)
            let other = try house.submit(apps: [app])
            try house.prepare(other)
            let id = try house.submit(apps: [app])
            let parts = try house.prepare(id)
            let (harm, mend) = damage.statements(parts[1].id)
            try house.alter(harm)
            // What can be read of it is accepted: it does not end with that.
            try acceptFirst(of: parts, of: id, house)
            if damage != .overlap, damage != .wrongNumber, damage != .otherApp {
                #expect(try house.state(id) == .inProgress)
                #expect(try house.store.repair.held().map(\.delivery) == [id])
            }
            let result = try house.store.repair.recount(id, at: noon)
            #expect(result.isRepaired == damage.isTold, "\(result)")
            #expect(result.problem?.split(separator: "\n").count ?? 1 == 1)
            #expect(result.after.pending == 1_100 && result.after.sent == 4_900, "\(result)")
            if !damage.isTold {
                #expect(try house.store.repair.held().map(\.delivery) == [id])
                try house.alter(mend)
                #expect(try house.store.repair.recount(id, at: noon).isRepaired)
            }
            #expect(try house.store.repair.held().isEmpty)
            #expect(try house.store.work.openParts().parts.filter { $0.delivery == id } == [parts[1]])
            try house.accept(parts[1].ids, of: id)
            #expect(try house.state(id) == .finished && house.counts(id).sent == 6_000)
            #expect(try house.state(other) == .inProgress)
        }
    }

    @Test(arguments: [Damage.unknownOwner, .noPart, .wrongNumber, .overlap])
    func `who looks for parts to send meets the damage and sends nothing of it`(damage: Damage) throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...6_000, to: app)
            let other = try house.submit(apps: [app])
            let others = try house.prepare(other)
            let id = try house.submit(apps: [app])
            let parts = try house.prepare(id)
            let (harm, mend) = damage.statements(parts[1].id)
            try house.alter(harm)
            let open = try house.store.work.openParts()
            #expect(open.parts == others + [parts[0]])
            #expect(open.damaged.map(\.delivery) == [id])
            try house.store.repair.hold(id, because: "test", at: noon)
            #expect(try house.store.work.openParts().damaged.isEmpty)
            try house.alter(mend.isEmpty ? "SELECT 1" : mend)
            #expect(try house.store.repair.recount(id, at: noon).isRepaired)
            #expect(try house.store.work.openParts().parts == others + parts)
        }
    }

    @Test func `a delivery that had ended goes on where a recount finds messages that wait`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...6_000, to: app)
            let id = try house.submit(apps: [app])
            let parts = try house.prepare(id)
            try acceptFirst(of: parts, of: id, house)
            try house.alter(
                """
                UPDATE part_progress SET is_open = 0 WHERE part_id = \(parts[1].id);
                UPDATE delivery SET state = 'finished', finished_ms = 1 WHERE id = \(id)
                """)
            let result = try house.store.repair.recount(id, at: noon)
            #expect(result.isRepaired && result.isReopened && result.mendedParts == 1)
            #expect(try house.state(id) == .inProgress && house.store.work.openParts().parts == [parts[1]])
        }
    }

    @Test(arguments: [Damage.unknownOwner, .hidden, .noProgress, .noPart])
    func `validity ends a delivery of which messages are missing, and counts them`(damage: Damage) throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...6_000, to: app)
            let id = try house.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            let parts = try house.prepare(id)
            let (harm, mend) = damage.statements(parts[1].id)
            try house.alter(harm)
            var lost: [DeliveryID: Int] = [:]
            let end = noon.later(seconds: 61)
            for _ in 0..<100 {
                let step = try house.store.outcomes.expire(at: end)
                lost.merge(step.lost) { $0 + $1 }
                if !step.hasMore { break }
            }
            #expect(lost == [id: 1_100])
            #expect(try !house.store.work.hasExpired(at: end))
            #expect(try house.state(id) == .finished && house.counts(id).cancelled == 6_000)
            try house.alter(mend.isEmpty ? "SELECT 1" : mend)
            #expect(try house.store.repair.recount(id, at: end).isReopened)
            while try house.store.outcomes.expire(at: end).hasMore {}
            #expect(try house.state(id) == .finished && house.counts(id).cancelled == 6_000)
        }
    }

    @Test func `a delivery that can come to no end is found, and held or ended`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let ids = try (0..<3).map { _ in try house.submit(apps: [app]) }
            let parts = try ids.map { try #require(try house.prepare($0).first) }
            #expect(try house.store.repair.stranded().isEmpty)
            try house.alter(
                "UPDATE part_progress SET is_open = 0, has_pending = 0 WHERE part_id = \(parts[0].id)")
            try house.accept(parts[1].ids, of: ids[1])
            try house.alter("UPDATE delivery SET state = 'inProgress' WHERE id = \(ids[1])")
            let stranded = try house.store.repair.stranded()
            #expect(stranded.map(\.delivery) == Array(ids.prefix(2)))
            #expect(try house.store.repair.settle(stranded, at: noon) == [ids[1]])
            #expect(try house.store.repair.held().map(\.delivery) == [ids[0]])
            #expect(try house.store.repair.stranded().isEmpty)
            #expect(try house.store.repair.recount(ids[0], at: noon).isRepaired)
        }
    }

    @Test func `of two deliveries that claim the same numbers each has its own answers`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...100, to: app)
            let first = try house.submit(apps: [app])
            let sound = try #require(try house.prepare(first).first)
            let second = try house.submit(apps: [app])
            let sick = try #require(try house.prepare(second).first)
            let (from, to) = (sick.id.rawValue, sick.id.rawValue - 50)
            try house.alter(
                """
                UPDATE part SET id = \(to) WHERE id = \(from);
                UPDATE part_progress SET part_id = \(to) WHERE part_id = \(from)
                """)
            try house.accept(sound.ids, of: first)
            #expect(try house.state(first) == .finished && house.counts(first).sent == 100)
            let told = try house.store.repair.recount(second, at: noon)
            #expect(told.problem?.contains("part \(sound.id) of delivery \(first)") == true)
            try house.alter(
                """
                UPDATE part SET id = \(from) WHERE id = \(to);
                UPDATE part_progress SET part_id = \(from) WHERE part_id = \(to)
                """)
            #expect(try house.store.repair.recount(second, at: noon).isRepaired)
        }
    }

    @Test func `of a delivery that is held nothing is prepared or found, retries neither`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let (id, messages) = try house.deliver(to: app)
            var batch = OutcomeBatch(delivery: id)
            batch.others = messages.values.map {
                MessageRecord(
                    message: $0, change: .retrying(due: noon.time, .soft, .unreachable, providerReason: "x"),
                    countsAttempt: true)
            }
            _ = try house.store.outcomes.record([batch], at: noon)
            let reader = try house.store.messageReader()
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time) == messages.count)
            let next = try house.submit(apps: [app])
            for delivery in [id, next] { try house.store.repair.hold(delivery, because: "test", at: noon) }
            #expect(try reader.retryingDue(app: app.id, dueBy: noon.time) == 0)
            #expect(try reader.retries(app: app.id, dueBy: noon.time, limit: 10) { _, _, _, _ in } == 0)
            #expect(try house.nextToPrepare(at: noon) == nil)
            #expect(try house.store.work.openParts().parts.isEmpty)
        }
    }

    @Test func `an end of validity that cannot be written is not tried for ever`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...10, to: app)
            let id = try house.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            try house.prepare(id)
            let late = noon.later(seconds: 61)
            #expect(try house.store.work.hasExpired(at: late))
            try house.store.repair.hold(id, because: "test", expires: false, at: noon)
            #expect(try !house.store.work.hasExpired(at: late))
            #expect(throws: StoreError.self) {
                _ = try house.store.repair.recount(DeliveryID(rawValue: 99), at: noon)
            }
            #expect(try house.store.repair.recount(id, at: noon).isRepaired)
            #expect(try house.store.work.hasExpired(at: late))
        }
    }
}
