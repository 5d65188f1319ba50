import PushModel
import PushStore
import Testing

/// Tests variables that a target defines for the recipients that it lists, from submission to the values with
/// which messages are filled.
@Suite(.eachEngine) struct RecipientVariablesTests {
    private let noon = TemporaryStore.noon

    private static func target(_ keys: [String], _ variables: [String: [(name: String, text: String)]])
        -> Target
    {
        var target = Target.userKeys(keys)
        target.variables = RecipientVariables(
            Dictionary(uniqueKeysWithValues: variables.map { (ExactText($0), $1) }))
        return target
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
    }

    private static func filled(_ extent: MessageReader.Extent) -> MessageReader.Extent {
        var extent = extent
        extent.hasVariables = true
        return extent
    }

    /// Returns the values with which pending messages are filled, by user key, read in pieces of the given
    /// size.
    private static func fillings(
        of parts: [Part], by piece: Int = 10_000, _ extent: MessageReader.Extent = filled(.person),
        in fixture: TemporaryStore
    ) throws -> [String: String] {
        let reader = try fixture.store.messageReader()
        var found: [String: String] = [:]
        for part in parts {
            for start in stride(from: 0, to: part.ids.count, by: piece) {
                let last = min(start + piece, part.ids.count) - 1
                try reader.pending(in: part, range: part.ids[start]...part.ids[last], reading: extent) {
                    found[Self.text($1) + Self.text($2)] = Self.text($3)
                }
            }
        }
        return found
    }

    private static func name(_ number: Int) -> String { TemporaryStore.token(number) + "user-\(number)" }

    @Test(arguments: [10_000, 700, 7])
    func `each message is filled with its own variables, whatever the size of chunks and pieces`(piece: Int)
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            // The recipients are unsorted, and some of them have no values.
            let numbers = Array(1...6_000).sorted { TemporaryStore.token($0) < TemporaryStore.token($1) }
            let said = numbers.filter { $0 % 10 != 0 }.map {
                ("user-\($0)", [(name: "code", text: "№ \($0)")])
            }
            let target = Self.target(
                numbers.map { "user-\($0)" }, Dictionary(said, uniquingKeysWith: { first, _ in first }))
            let id = try fixture.submit(target, apps: [app])
            #expect(try fixture.store.deliveries.sendingTerms(of: id, to: app.id).hasVariables)
            let parts = try fixture.prepare(id)
            #expect(parts.count >= 2)
            let found = try Self.fillings(of: parts, by: piece, in: fixture)
            #expect(found.count == 6_000)
            let isRight = numbers.allSatisfy {
                found[Self.name($0)] == ($0 % 10 == 0 ? "" : #"{"code":"№ \#($0)"}"#)
            }
            #expect(isRight)
            // The values are now stored in the parts.
            #expect(
                try fixture.query("SELECT count(*) FROM delivery_target WHERE variables IS NOT NULL") == ["0"]
            )
            let shown = try #require(try fixture.store.deliveries.delivery(id)).order.target
            #expect(shown.variables?.names == ["code"] && shown.listed.count == 6_000)
            let again = try fixture.reopened()
            #expect(try again.deliveries.delivery(id)?.order.target == shown)
        }
    }

    @Test func `variables follow the parameters and the language, and are read only if requested`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let record = SubscriberRecord(
                token: TemporaryStore.token(1), userKey: "anna", parametersJSON: #"{"city":"Ulm"}"#)
            _ = try fixture.store.subscriberImporter.upsert([record], into: app.id, at: noon)
            let id = try fixture.submit(
                Self.target(["anna"], ["anna": [("city", "Bonn"), ("code", "")]]), apps: [app])
            let parts = try fixture.prepare(id)
            func filling(_ extent: MessageReader.Extent) throws -> String? {
                try Self.fillings(of: parts, extent, in: fixture).values.first
            }
            let own = #"{"city":"Bonn"}"#
            #expect(try filling(Self.filled(.parameters)) == #"{"city":"Ulm"}"# + own)
            let localised = try filling(Self.filled(.filling(withLanguage: true)))
            #expect(localised == "\n\n" + #"{"city":"Ulm"}"# + own)
            #expect(try filling(.parameters) == #"{"city":"Ulm"}"#)
            #expect(try filling(.token) == "")
        }
    }

    @Test func `all of a user's devices have the same variables, even if the devices exceed a chunk`() throws
    {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            for (app, count) in [(one, 30), (two, 2)] {
                let records = (1...count).map {
                    SubscriberRecord(token: TemporaryStore.token($0), userKey: "anna", parametersJSON: nil)
                }
                _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: noon)
            }
            let id = try fixture.submit(
                Self.target(["nobody", "anna"], ["anna": [("code", "7")], "nobody": [("code", "0")]]),
                apps: [one, two])
            var parts: [Part] = []
            for _ in 0..<1_000 {
                let step = try fixture.store.preparation.prepareChunk(of: id, limit: 7, at: noon)
                if let part = step.part { parts.append(part) }
                if step.isComplete { break }
            }
            #expect(parts.map(\.ids.count).reduce(0, +) == 32)
            for part in parts {
                let found = try Self.fillings(of: [part], in: fixture)
                #expect(found.count == part.ids.count && found.values.allSatisfy { $0 == #"{"code":"7"}"# })
            }
        }
    }

    @Test func `chunks are small if recipients have long variables`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...600, to: app)
            let keys = (1...600).map { "user-\($0)" }
            let long = String(repeating: "x", count: 4_000)
            let id = try fixture.submit(
                Self.target(keys, Dictionary(keys.map { ($0, [("text", long)]) }, uniquingKeysWith: { $1 })),
                apps: [app])
            let parts = try fixture.prepare(id)
            #expect(parts.count >= 3 && parts.map(\.ids.count).reduce(0, +) == 600)
            #expect(try Self.fillings(of: parts, in: fixture).values.allSatisfy { $0.utf8.count == 4_011 })
            let blocks = try fixture.query("SELECT max(length(variables)) FROM part_variables")
            #expect(try #require(blocks.first.flatMap { Int($0) }) < 40_000)
        }
    }

    @Test func `retries have their variables, and other messages to the same app have none`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let keys = (1...5).map { "user-\($0)" }
            let id = try fixture.submit(
                Self.target(keys, ["user-2": [("code", "2")], "user-4": [("code", "4")]]), apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            let due = noon.time.advanced(bySeconds: 60)
            try fixture.record(
                part.ids.map {
                    MessageRecord(
                        message: $0, change: .retrying(due: due, .soft, .unreachable, providerReason: "x"),
                        countsAttempt: true)
                }, of: id)
            var found: [String: String] = [:]
            try fixture.store.messageReader().retries(
                app: app.id, dueBy: due, limit: 100, reading: Self.filled(.person)
            ) { found[Self.text($2)] = Self.text($3) }
            #expect(found.count == 5 && found["user-2"] == #"{"code":"2"}"# && found["user-3"] == "")
            #expect(found["user-4"] == #"{"code":"4"}"#)
        }
    }

    @Test func `a recipient who is left out does not affect other recipients' variables`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...200, to: app)
            let keys = (1...200).map { "user-\($0)" }
            var target = Self.target(
                keys, Dictionary(keys.map { ($0, [("code", $0)]) }, uniquingKeysWith: { $1 }))
            target.exclusion.userKeys = keys.filter { $0.hasSuffix("3") }
            target.isOncePerUser = true
            let id = try fixture.submit(target, apps: [app])
            let found = try Self.fillings(of: try fixture.prepare(id), in: fixture)
            #expect(found.count == 180)
            #expect(found.allSatisfy { $0.key.hasSuffix($0.value.dropFirst(9).dropLast(2)) })
        }
    }

    @Test func `removing a subscription also removes its variables`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...200, to: app)
            let keys = (1...200).map { "user-\($0)" }
            let said = Dictionary(
                keys.map { ($0, [(name: "code", text: "of \($0).")]) }, uniquingKeysWith: { $1 })
            let parts = try [0, 1].flatMap { _ in
                try fixture.prepare(try fixture.submit(Self.target(keys, said), apps: [app]))
            }
            let gone = try fixture.store.subscriberFinder.find(token: TemporaryStore.token(77), in: app.id)
            #expect(try fixture.store.subscriberRemover.remove(gone.map(\.subscription), at: noon) == 1)
            let isSQLite = if case .sqlite = fixture.place { true } else { false }
            let text = isSQLite ? "CAST(variables AS TEXT)" : "encode(variables, 'escape')"
            let texts = try fixture.query("SELECT \(text) FROM part_variables").joined()
            #expect(texts.contains("of user-76.") && texts.contains("of user-78."))
            #expect(!texts.contains("of user-77."))
            let found = try Self.fillings(of: parts, in: fixture)
            #expect(found.count == 200 && found[""] == "")
            #expect(found[Self.name(76)] == #"{"code":"of user-76."}"#)
        }
    }

    @Test func `the next user of a device does not receive the variables of the previous user`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let nobodys = SubscriberRecord(token: TemporaryStore.token(6), userKey: "", parametersJSON: nil)
            _ = try fixture.store.subscriberImporter.upsert([nobodys], into: app.id, at: noon)
            var target = Target.tokens((1...6).map(TemporaryStore.token))
            target.variables = RecipientVariables(
                Dictionary(uniqueKeysWithValues: target.listed.map { (ExactText($0), [("code", "7")]) }))
            let parts = try fixture.prepare(try fixture.submit(target, apps: [app]))
            let records = [(2, "mallory"), (3, "user-3"), (6, "anna")].map {
                SubscriberRecord(token: TemporaryStore.token($0.0), userKey: $0.1, parametersJSON: nil)
            }
            _ = try fixture.store.subscriberImporter.upsert(records, into: app.id, at: noon)
            let found = try Self.fillings(of: parts, in: fixture)
            #expect(found.count == 6)
            for (key, filling) in found {
                #expect(filling == (key.hasSuffix("mallory") ? "" : #"{"code":"7"}"#), "\(key)")
            }
        }
    }

    @Test(arguments: [
        "DELETE FROM part_variables WHERE first_index > 0",
        "UPDATE part_variables SET variables = substr(variables, 1, 0)",
        "UPDATE part_variables SET count = 1", "UPDATE part_variables SET first_index = first_index + 1",
        "UPDATE part_variables SET count = 9223372036854775807",
        "UPDATE part_variables SET count = -1",
    ])
    func `a part with missing variables is damaged, and no message is sent without its own variables`(
        damage: String
    )
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...100, to: app)
            let keys = (1...100).map { "user-\($0)" }
            let id = try fixture.submit(Self.target(keys, ["user-1": [("code", "1")]]), apps: [app])
            let parts = try fixture.prepare(id)
            try fixture.alter(damage)
            let error = #expect(throws: StoreError.self) { try Self.fillings(of: parts, in: fixture) }
            #expect(error?.delivery == id)
        }
    }

    @Test(arguments: [
        "UPDATE delivery_target SET variables = NULL",
        "UPDATE delivery_target SET variables = substr(variables, 1, 0)",
    ])
    func `no recipient is prepared whose variables were lost before`(damage: String) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(Self.target(["user-1"], ["user-1": [("code", "1")]]), apps: [app])
            try fixture.alter(damage)
            #expect(throws: StoreError.self) {
                try fixture.store.preparation.prepareChunk(of: id, at: noon)
            }
            #expect(try fixture.log(id).isEmpty)
        }
    }
}
