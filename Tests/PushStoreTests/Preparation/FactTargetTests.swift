import PushModel
import PushStore
import Testing

/// Tests targets and messages that use the facts that registrations and reports collect.
@Suite(.eachEngine) struct FactTargetTests {
    private static let noon = TemporaryStore.noon

    private static func register(
        _ number: Int, with app: App, daysAgo days: Int64 = 0, user: String? = nil,
        parameters: String? = nil, in fixture: TemporaryStore, _ adjust: (inout DeviceFacts) -> Void
    ) throws {
        var device = DeviceFacts()
        adjust(&device)
        _ = try fixture.store.registrations.register([
            TemporaryStore.registration(
                number, with: app, user: user ?? "user-\(number)", parameters: parameters, device: device,
                at: noon.later(seconds: -86_400 * days))
        ])
    }

    /// Subscribers 1 to 3 registered a device; 4 was imported.
    private static func fill(_ fixture: TemporaryStore, _ app: App) throws {
        try register(1, with: app, parameters: #"{"city":"Paris"}"#, in: fixture) {
            ($0.language, $0.osName, $0.osVersion) = ("fr-FR", "iOS", "iOS 16.4")
            ($0.model, $0.brand, $0.manufacturer) = ("iPhone14,2", "Apple", "Apple")
        }
        try register(2, with: app, daysAgo: 7, in: fixture) {
            ($0.language, $0.osName, $0.osVersion) = ("fr_CH", "iOS", "iOS 9.3")
        }
        try register(
            3, with: app, daysAgo: 30, parameters: #"{"osName":"x","city":"Rome"}"#, in: fixture
        ) {
            ($0.language, $0.osName, $0.osVersion, $0.model) = (
                "de", "Android", "Android 13", #"Pixel "7"\%_"#
            )
        }
        try fixture.subscribe(4...4, to: app)
    }

    private static func reached(
        _ expression: TargetExpression, apps: [App], once: Bool = false, in fixture: TemporaryStore
    ) throws -> Set<Int> {
        var target = Target.matching(expression)
        target.isOncePerUser = once
        let id = try fixture.submit(target, apps: apps)
        #expect(try fixture.store.deliveries.delivery(id)?.order.target == target)
        for _ in 0..<1_000 {
            if try fixture.store.preparation.prepareChunk(of: id, limit: 2, at: noon).isComplete { break }
        }
        let sent = try fixture.log(id).filter { $0.state == .pending }
        let found = Set(sent.compactMap { Int($0.userKey.dropFirst(5)) })
        let order = fixture.order(target, apps: apps)
        var walked = 0
        try fixture.store.targetWalk.forEachPage(of: order, at: noon.time, wanting: { _ in .nobody }) {
            walked += $0.targeted
        }
        #expect(walked == sent.count)
        let isAny = try fixture.store.targets.matchesAnybody(target, of: apps.map(\.id), at: noon.time)
        #expect(isAny != found.isEmpty)
        return found
    }

    private static func compare(
        _ fact: CollectedFact, _ comparison: TargetComparison, _ text: String
    ) throws -> TargetExpression {
        guard fact.kind == .date else { return .compare(fact.rawValue, comparison, .text(text)) }
        return .compare(fact.rawValue, comparison, .date(try #require(TargetDate(text))))
    }

    @Test func `a target selects subscribers by each fact`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.fill(fixture, app)
            for (fact, comparison, text, expected) in [
                (.userKey, .equal, "user-2", [2]), (.userKey, .startsWith, "user-", [1, 2, 3, 4]),
                (.osLanguage, .startsWith, "fr", [1, 2]), (.osLanguage, .different, "de", [1, 2, 4]),
                (.osName, .equal, "iOS", [1, 2]), (.osName, .equal, "x", []),
                (.osVersion, .greaterOrEqual, "13", [1, 3]), (.deviceModel, .contains, #""7"\%_"#, [3]),
                (.deviceModel, .contains, "%", [3]), (.deviceBrand, .equal, "Apple", [1]),
                (.deviceManufacturer, .less, "B", [1]), (.deviceName, .equal, "", []),
                (.registeredAt, .greaterOrEqual, "-7d", [1, 2, 4]), (.registeredAt, .equal, "-30d", [3]),
                (.createdAt, .less, "2026-11-14", [3]), (.lastActiveAt, .less, "-1d", [2, 3]),
            ] as [(CollectedFact, TargetComparison, String, Set<Int>)] {
                let expression = try Self.compare(fact, comparison, text)
                #expect(
                    try Self.reached(expression, apps: [app], in: fixture) == expected, "\(expression)")
            }
            #expect(try Self.reached(.exists("osLanguage", false), apps: [app], in: fixture) == [4])
            let both = TargetExpression.and([
                .compare("city", .equal, .text("Paris")), try Self.compare(.osName, .equal, "iOS"),
            ])
            #expect(try Self.reached(both, apps: [app], in: fixture) == [1])
        }
    }

    @Test func `a name means the parameter in an app that declares it, and the fact in others`() throws {
        try TemporaryStore.with { fixture in
            let plain = try fixture.app("declaring")
            var settings = plain.settings
            settings.parameters = [ParameterDeclaration(name: "osName", kind: .text)]
            let declaring = try fixture.writer.updateApp(plain.id, to: settings, credential: nil)
            let other = try fixture.app("other")
            for (number, app) in [(1, declaring), (2, other)] {
                try Self.register(number, with: app, parameters: #"{"osName":"x"}"#, in: fixture) {
                    $0.osName = "iOS"
                }
            }
            let apps = [declaring, other]
            #expect(try Self.reached(try Self.compare(.osName, .equal, "x"), apps: apps, in: fixture) == [1])
            #expect(
                try Self.reached(try Self.compare(.osName, .equal, "iOS"), apps: apps, in: fixture) == [2])
        }
    }

    @Test func `of a user's devices, one that matches the facts is reached`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            try Self.register(1, with: one, daysAgo: 3, user: "user-9", in: fixture) { $0.osName = "iOS" }
            try Self.register(2, with: two, daysAgo: 2, user: "user-9", in: fixture) { $0.osName = "iOS" }
            try Self.register(3, with: two, daysAgo: 1, user: "user-9", in: fixture) { $0.osName = "Android" }
            let recent = TargetExpression.and([
                try Self.compare(.osName, .equal, "iOS"), try Self.compare(.registeredAt, .less, "0d"),
            ])
            #expect(try Self.reached(recent, apps: [one, two], once: true, in: fixture) == [9])
            let id = try fixture.submit(
                {
                    var target = Target.matching(recent)
                    target.isOncePerUser = true
                    return target
                }(), apps: [one, two])
            try fixture.prepare(id)
            let sent = try fixture.log(id).filter { $0.state == .pending }
            #expect(sent.map(\.token) == [TemporaryStore.token(2)])
        }
    }

    @Test func `relative dates refer to the start of the delivery, not to the time of preparation`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.fill(fixture, app)
            let recent = Target.matching(try Self.compare(.registeredAt, .greaterOrEqual, "-7d"))
            let later = Self.noon.later(seconds: 86_400)
            let id = try fixture.submit(recent, apps: [app]) { $0.schedule.start = later.time }
            try fixture.prepare(id, at: Self.noon.later(seconds: 20 * 86_400))
            #expect(Set(try fixture.log(id).map(\.userKey)) == ["user-1", "user-4"])
        }
    }

    @Test func `messages get the facts that their content uses, after the parameters`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try Self.fill(fixture, app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            func fillings(_ extent: MessageReader.Extent) throws -> [String] {
                var fillings: [String] = []
                try fixture.store.messageReader().pending(in: part, range: part.messages, reading: extent) {
                    _, token, _, filling in
                    let hasToken = !token.isEmpty
                    #expect(hasToken)
                    let bytes = (0..<filling.count).map { filling[$0] }
                    // PostgreSQL writes spaces between members.
                    let text = String(decoding: bytes, as: UTF8.self)
                    fillings.append(text.replacing("\" : ", with: "\":").replacing("\", \"", with: "\",\""))
                }
                return fillings
            }
            let facts: Set<CollectedFact> = [.userKey, .registeredAt, .osVersion, .deviceModel]
            let plain = try fillings(.filling(withLanguage: false, facts: facts))
            #expect(
                plain.first == #"{"city":"Paris"}{"osVersion":"iOS 16.4","deviceModel":"iPhone14,2"}"#
                    + #"{"userKey":"user-1","registeredAt":"2026-11-21T12:00:00Z"}"#)
            #expect(plain.dropFirst(2).first?.contains(#""deviceModel":"Pixel \"7\"\\%_""#) == true)
            #expect(plain.last == #"{"userKey":"user-4","registeredAt":"2026-11-21T12:00:00Z"}"#)
            #expect(
                try fillings(.filling(withLanguage: true, facts: [.osName])).prefix(2)
                    == [
                        "\nfr-FR\n" + #"{"city":"Paris"}{"osName":"iOS"}"#,
                        "\nfr_CH\n" + #"{"osName":"iOS"}"#,
                    ])
            var walked: [String] = []
            try fixture.store.targetWalk.forEachPage(
                of: fixture.order(.all, apps: [app]), at: Self.noon.time, wanting: { _ in .everybody },
                facts: { _ in [.lastActiveAt] }
            ) { walked += $0.recipients.map { String(decoding: $0.parameters, as: UTF8.self) } }
            #expect(walked.count == 4 && walked.allSatisfy { $0.contains("lastActiveAt") })
        }
    }
}
