import PushModel
import PushStore
import Testing

/// Tests lists of recipients that accompany documents, from the draft to the parts.
@Suite(.eachEngine) struct RecipientListsTests {
    private let noon = TemporaryStore.noon

    private static func draft(_ recipients: [ListedRecipient]) throws -> RecipientDraft {
        let draft = try RecipientDraft()
        for start in stride(from: 0, to: recipients.count, by: 1_000) {
            try draft.add(Array(recipients[start..<min(start + 1_000, recipients.count)]))
        }
        try draft.sort {}
        return draft
    }

    private static func target(_ list: RecipientList, _ names: [String] = []) -> Target {
        var target = Target(.list(list))
        if !names.isEmpty { target.variables = RecipientVariables(names: names) }
        return target
    }

    private func keep(
        _ draft: RecipientDraft, _ kind: RecipientList.Kind = .userKeys, variables: Bool = false,
        in fixture: TemporaryStore, at now: WallMoment = TemporaryStore.noon, pause: () throws -> Void = {}
    ) throws -> RecipientList {
        try fixture.store.recipientLists.keep(
            draft, kind, hasVariables: variables, at: { now }, pause: pause)
    }

    private func rows(_ fixture: TemporaryStore) throws -> [Int] {
        [try fixture.rows("recipient_list"), try fixture.rows("recipient_page")]
    }

    /// Removes lists, as retention does.
    private func clean(_ fixture: TemporaryStore, at now: WallMoment) throws {
        let rules = RetentionRules(messageDays: 30, quarantineSeconds: 90 * 86_400)
        while try fixture.store.retention.look(rules, at: now).kinds.contains(.lists) {
            _ = try fixture.store.retentionWriter.step(.lists, rules, at: now)
        }
    }

    @Test
    func `thousands of unsorted user keys are each reached once, and preparation removes the list`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...11_000, to: one)
            try fixture.subscribe(10_900...11_000, to: two)
            // Some entries occur twice, and some match no subscriber.
            let numbers = (Array(1...11_500) + Array(1...700)).sorted {
                TemporaryStore.token($0 &* 31) < TemporaryStore.token($1 &* 31)
            }
            let draft = try Self.draft(numbers.map { ListedRecipient("user-\($0)") })
            #expect(draft.count == 11_500 && draft.repeated == 700 && draft.pages == 5)
            let asked = Target(.list(RecipientList(kind: .userKeys, count: 11_500, pages: 5)))
            #expect(try fixture.store.targets.matchesAnybody(asked, of: [two.id], listing: draft))
            let list = try keep(draft, in: fixture)
            #expect(try rows(fixture) == [1, 5])
            let id = try fixture.submit(Self.target(list), apps: [one, two])
            #expect(try fixture.store.deliveries.delivery(id)?.order.target == Self.target(list))
            // The list remains until it is prepared, however long that takes.
            try clean(fixture, at: TemporaryStore.noon(afterDays: 2))
            #expect(try rows(fixture) == [1, 5])
            try fixture.prepare(id)
            let log = try fixture.log(id)
            #expect(log.count == 11_101 && Set(log.map(\.token)).count == 11_000)
            #expect(try fixture.store.deliveries.delivery(id)?.unknownRecipients == 500)
            try clean(fixture, at: noon)
            #expect(try rows(fixture) == [0, 0])
            #expect(try fixture.store.deliveries.delivery(id)?.order.target == Self.target(list))
        }
    }

    @Test func `each recipient has its own variables, from the first line that names the recipient`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            var recipients = (1...6_000).reversed().map {
                ListedRecipient("user-\($0)", variables: Array(#"{"code":"\#($0)"}"#.utf8))
            }
            recipients.append(ListedRecipient("user-7", variables: Array(#"{"code":"again"}"#.utf8)))
            let draft = try Self.draft(recipients)
            let list = try keep(draft, variables: true, in: fixture)
            let id = try fixture.submit(Self.target(list, ["code"]), apps: [app])
            #expect(try fixture.store.deliveries.sendingTerms(of: id, to: app.id).hasVariables)
            let parts = try fixture.prepare(id)
            var extent = MessageReader.Extent.person
            extent.hasVariables = true
            var found: [String: String] = [:]
            for part in parts {
                try fixture.store.messageReader().pending(in: part, range: part.messages, reading: extent) {
                    found[Self.text($2)] = Self.text($3)
                }
            }
            #expect(found.count == 6_000)
            let isRight = (1...6_000).allSatisfy { found["user-\($0)"] == #"{"code":"\#($0)"}"# }
            #expect(isRight)
        }
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
    }

    @Test func `tokens can be listed too, and texts are compared byte by byte`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let draft = try Self.draft([
                ListedRecipient(TemporaryStore.token(2)), ListedRecipient("e\u{301}"), ListedRecipient("é"),
            ])
            #expect(draft.count == 3 && draft.repeated == 0)
            let id = try fixture.submit(Self.target(try keep(draft, .tokens, in: fixture)), apps: [app])
            try fixture.prepare(id)
            #expect(try fixture.log(id).map(\.userKey) == ["user-2"])
        }
    }

    @Test func `an interrupted upload leaves no list, and its remains are removed after an hour`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let draft = try Self.draft((1...60_000).map { ListedRecipient("user-\($0)") })
            struct Ended: Error {}
            var steps = 0
            #expect(throws: Ended.self) {
                try keep(draft, in: fixture) {
                    steps += 1
                    if steps == 2 { throw Ended() }
                }
            }
            #expect(steps == 2)
            #expect(try rows(fixture) == [0, 0])
            let list = try keep(draft, in: fixture)
            let early = WallMoment(millisecondsSince1970: noon.millisecondsSince1970 + 3_599_000)
            try clean(fixture, at: early)
            #expect(try rows(fixture) == [1, 24])
            try clean(fixture, at: WallMoment(millisecondsSince1970: early.millisecondsSince1970 + 2_000))
            #expect(try rows(fixture) == [0, 0])
            // A later submission is refused, and nothing is submitted.
            #expect(throws: StoreError.self) { try fixture.submit(Self.target(list), apps: [app]) }
            #expect(try fixture.store.deliveries.list().isEmpty)
        }
    }

    @Test func `a list belongs to one delivery, and a list with a missing page belongs to no delivery`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let draft = try Self.draft((1...6_000).map { ListedRecipient("user-\($0)") })
            let list = try keep(draft, in: fixture)
            let id = try fixture.submit(Self.target(list), apps: [app])
            #expect(throws: StoreError.self) { try fixture.submit(Self.target(list), apps: [app]) }
            // The list belongs to another delivery, so it must not be removed.
            try fixture.store.recipientLists.remove(list)
            #expect(try rows(fixture) == [1, 3])
            try fixture.alter("DELETE FROM recipient_page WHERE page = 1")
            let error = #expect(throws: StoreError.self) {
                for _ in 0..<10 { _ = try fixture.store.preparation.prepareChunk(of: id, at: noon) }
            }
            #expect(error?.delivery == id)
            let torn = try keep(draft, in: fixture)
            try fixture.alter("DELETE FROM recipient_page WHERE page = 2 AND list_id = \(torn.number)")
            #expect(throws: StoreError.self) { try fixture.submit(Self.target(torn), apps: [app]) }
            #expect(try fixture.store.deliveries.list().map(\.id) == [id])
        }
    }

    @Test func `stopping a delivery before preparation removes the delivery's list`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let list = try keep(try Self.draft([ListedRecipient("user-1")]), in: fixture)
            let id = try fixture.submit(Self.target(list), apps: [app])
            _ = try fixture.store.stop.stop(id, at: noon)
            while try !fixture.store.stop.cancelNext(of: id, at: noon).isOver {}
            try clean(fixture, at: noon)
            #expect(try rows(fixture) == [0, 0])
        }
    }
}
