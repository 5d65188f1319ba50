import Foundation
import PushModel
import PushStore
import Testing

/// Tests which data about a person remains after the person is erased.
@Suite(.eachEngine) struct PersonTracesTests {
    private let noon = TemporaryStore.noon

    private func subscriptions(_ key: String, of app: App, in fixture: TemporaryStore) throws
        -> Set<SubscriptionID>
    {
        Set(try fixture.store.subscriberFinder.find(userKey: key, in: app.id).map(\.subscription))
    }

    /// Returns all user keys on a delivery's pages.
    private func listed(_ delivery: DeliveryID, in fixture: TemporaryStore) throws -> [String] {
        try fixture.query("SELECT listed FROM delivery_target WHERE delivery_id = \(delivery.rawValue)")
            .flatMap { try JSONDecoder().decode([String].self, from: Data($0.utf8)) }
    }

    /// - Returns: The number of places from which the key was erased.
    private func erase(_ values: [String], in fixture: TemporaryStore) throws -> Int {
        var (erased, place) = (0, PersonData.ListedPage?.some(.first))
        while let next = place {
            let step = try fixture.store.personTraces.eraseListed(
                Set(values.map(ExactText.init)), after: next)
            erased += step.erased
            place = step.next
        }
        return erased
    }

    private static func target(_ keys: [String], saying: Bool = false) -> Target {
        var target = Target.userKeys(keys)
        guard saying else { return target }
        target.variables = RecipientVariables(
            Dictionary(
                uniqueKeysWithValues: keys.map { (ExactText($0), [(name: "code", text: "for \($0)")]) }))
        return target
    }

    @Test func `after a person is erased, logs do not name this person, and still name all other people`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(apps: [app])
            let messages = try fixture.prepare(id)[0].ids
            var batch = OutcomeBatch(delivery: id)
            batch.others = messages.map {
                MessageRecord(
                    message: $0, change: .sent(providerID: "name of \($0)"), countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            let before = try fixture.log(id)
            #expect(before.allSatisfy { $0.providerID != nil })
            let counts = try fixture.counts(id)

            let traces = fixture.store.personTraces
            let found = try subscriptions("user-2", of: app, in: fixture)
            let remover = fixture.store.subscriberRemover
            #expect(try traces.deliveries(to: found) == [id])
            let step = try traces.eraseProviderIDs(of: found, in: [id])
            #expect(step.erased == 1 && step.unreadable == [] && step.next == nil)
            #expect(try traces.eraseProviderIDs(of: found, in: [id]).erased == 0)
            #expect(try remover.erase(found.sorted(), at: noon).removed == 1)
            let after = try fixture.log(id)
            #expect(after.filter { $0.userKey.isEmpty }.count == 1)
            for (old, new) in zip(before, after) {
                guard old.userKey == "user-2" else {
                    #expect(new == old)
                    continue
                }
                #expect(new.userKey.isEmpty && new.token.isEmpty && new.providerID == nil)
                #expect(new.state == .sent && new.message == old.message)
            }
            #expect(try fixture.counts(id) == counts)
            #expect(try fixture.rows("removed_subscription") == 0)
            #expect(try remover.erase(found.sorted(), at: noon).removed == 0, "once more changes nothing")
            #expect(try fixture.store.deliveries.log(of: id, toUser: "user-2") == [])
        }
    }

    @Test func `one step finds a person's messages in many deliveries and changes no other messages`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            var own: [DeliveryID] = []
            for number in 0..<60 {
                let id = try fixture.submit(.userKeys(["user-\(1 + number % 2)"]), apps: [app])
                let messages = try fixture.prepare(id).flatMap(\.ids)
                // Every third delivery has names that must be erased.
                var batch = OutcomeBatch(delivery: id)
                batch.others = messages.map {
                    MessageRecord(
                        message: $0, change: .sent(providerID: number % 3 == 0 ? "name of \($0)" : nil),
                        countsAttempt: true)
                }
                _ = try fixture.store.outcomes.record([batch], at: noon)
                if number % 6 == 0 { own.append(id) }
            }
            let traces = fixture.store.personTraces
            let found = try subscriptions("user-1", of: app, in: fixture)
            let deliveries = try traces.deliveries(to: found)
            #expect(deliveries.count == 60)
            let step = try traces.eraseProviderIDs(of: found, in: deliveries)
            #expect(step.erased == own.count && step.next == nil)
            let named = try deliveries.filter { try fixture.log($0).contains { $0.providerID != nil } }
            #expect(named.count == 20 - own.count && Set(named).isDisjoint(with: own))
        }
    }

    @Test func `a search that takes more than one step continues where it stopped`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let id = try fixture.submit(apps: [app])
            let messages = try fixture.prepare(id).flatMap(\.ids)
            var batch = OutcomeBatch(delivery: id)
            batch.others = messages.map {
                MessageRecord(message: $0, change: .sent(providerID: "name"), countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            let found = try subscriptions("user-1", of: app, in: fixture)
            // Deliveries of another app. Their number takes several steps to search.
            let deliveries = (1_000...1_900).map { DeliveryID(rawValue: $0) } + [id]
            var (erased, steps) = (0, 0)
            var place: PersonData.MessagePlace? = .first
            while let next = place {
                let step = try fixture.store.personTraces.eraseProviderIDs(
                    of: found, in: deliveries, from: next)
                (erased, steps, place) = (erased + step.erased, steps + 1, step.next)
            }
            #expect(erased == 1 && (2...10).contains(steps))
        }
    }

    @Test func `the user key also finds devices that were removed earlier, including those in a deleted app`()
        throws
    {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...2, to: app)
            try fixture.subscribe(1...2, to: other)
            let id = try fixture.submit(apps: [app, other])
            for part in try fixture.prepare(id) { try fixture.accept(part.ids, of: id) }
            _ = try fixture.store.subscriberRemover.remove(
                subscriptions("user-1", of: app, in: fixture).sorted(), at: noon)
            try fixture.writer.deleteApp(other.id, at: noon)
            let traces = fixture.store.personTraces
            let remembered = try traces.remembered("user-1")
            #expect(remembered.count == 2)
            #expect(try traces.remembered("") == [] && traces.remembered("user") == [])
            #expect(try fixture.store.subscriberRemover.erase(remembered, at: noon).removed == 0)
            #expect(try fixture.log(id).map(\.userKey).filter { $0 == "user-1" } == [])
            #expect(try fixture.log(id).map(\.userKey).filter { $0 == "user-2" }.count == 2)
            #expect(try traces.remembered("user-1") == [])
        }
    }

    @Test(arguments: [
        #"a "quoted" \ key"#, "100%_!", "né à Zürich 🎈", "user-2", "a/b", "line\nfeed", "O'Neil",
    ])
    func `no other key matches the place of an erased key in a list, and neighbouring keys stay`(
        key: String
    ) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...22, to: app)
            let similar = [
                key + "9", "x" + key, key.uppercased() + "!", "user-22", "user-1",
                key.decomposedStringWithCanonicalMapping + "\u{301}",
            ]
            let id = try fixture.submit(Self.target([similar[0], key] + similar.dropFirst()), apps: [app])
            #expect(try erase([key], in: fixture) == 1)
            let left = try listed(id, in: fixture)
            #expect(left.count == similar.count + 1 && !left.contains(key))
            #expect(left[0] == similar[0] && Array(left.dropFirst(2)) == Array(similar.dropFirst()))
            #expect(try erase([key], in: fixture) == 0)
        }
    }

    @Test
    func `a delivery that is not yet prepared still reaches all other recipients with their own content`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let id = try fixture.submit(
                Self.target((1...5).map { "user-\($0)" }, saying: true), apps: [app])
            let found = try subscriptions("user-3", of: app, in: fixture)
            let sizes = "SELECT length(variables) || '' FROM delivery_target"
            let before = try fixture.query(sizes).compactMap { Int($0) }
            #expect(try erase(["user-3"], in: fixture) == 1)
            #expect(
                try fixture.query("SELECT listed FROM delivery_target").allSatisfy { !$0.contains("user-3") })
            let after = try fixture.query(sizes).compactMap { Int($0) }
            #expect(before.count == 1 && after.count == 1)
            #expect(zip(before, after).allSatisfy { $0 * 3 / 4 < $1 && $1 <= $0 - "for user-3".utf8.count })
            #expect(try fixture.store.subscriberRemover.erase(found.sorted(), at: noon).removed == 1)
            let parts = try fixture.prepare(id)
            #expect(try fixture.counts(id).targeted == 4)
            try fixture.accept(parts.flatMap(\.ids), of: id)
            #expect(Set(try fixture.log(id).map(\.userKey)) == ["user-1", "user-2", "user-4", "user-5"])
        }
    }

    @Test func `exclusion lists and token lists are searched too`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4, to: app)
            let exclusion = Target.Exclusion(
                userKeys: ["user-1", "user-2"], tokens: [TemporaryStore.token(2), TemporaryStore.token(3)])
            let id = try fixture.submit(Target(.all, excluding: exclusion), apps: [app])
            #expect(try erase(["user-2", TemporaryStore.token(2)], in: fixture) == 2)
            _ = try fixture.prepare(id)
            // An erased value no longer excludes anyone. The person must have been removed before.
            #expect(try fixture.counts(id).targeted == 2)
        }
    }

    @Test func `a key with a different spelling belongs to another person`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let (composed, decomposed) = ("ren\u{E9}", "rene\u{301}")
            let id = try fixture.submit(Self.target([composed, decomposed]), apps: [app])
            #expect(try erase([decomposed], in: fixture) == 1)
            #expect(try listed(id, in: fixture).map(ExactText.init).first == ExactText(composed))
        }
    }

    @Test func `many lists, and a recipient list, are searched step by step`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let count = 120
            for number in 0..<count {
                _ = try fixture.submit(Self.target(["user-\(number % 2)", "user-9"]), apps: [app])
            }
            #expect(try erase(["user-1", "user-9"], in: fixture) == count + count / 2)
            #expect(try erase(["user-1", "user-9"], in: fixture) == 0)
            let draft = try RecipientDraft()
            try draft.add([ListedRecipient("user-1"), ListedRecipient("user-8")])
            try draft.sort {}
            _ = try fixture.store.recipientLists.keep(
                draft, .userKeys, hasVariables: false, at: { noon }, pause: {})
            #expect(try erase(["user-1"], in: fixture) == 1)
            #expect(
                try fixture.query("SELECT listed FROM recipient_page").allSatisfy { !$0.contains("user-1") })
        }
    }

    @Test func `an unreadable part is reported and does not prevent the removal`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(
                Self.target((1...3).map { "user-\($0)" }, saying: true), apps: [app])
            _ = try fixture.prepare(id)
            try fixture.alter("UPDATE part_variables SET variables = substr(variables, 2)")
            let found = try subscriptions("user-2", of: app, in: fixture)
            let erased = try fixture.store.subscriberRemover.erase(found.sorted(), at: noon)
            #expect(erased.removed == 1 && erased.unreadable.count == 1)
            let other = try subscriptions("user-3", of: app, in: fixture)
            #expect(try fixture.store.subscriberRemover.remove(other.sorted(), at: noon) == 1)
        }
    }
}
