import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct DeliverySubmitterTests {
    @Test(arguments: [
        Target.all, .userKeys(["anna", "bert \"b\""]), .tokens(["aa", "zz"]),
        .parameters(["city": "Paris", "näme": "x"]), .userKeys(["\\", "\n\t\u{1}\u{7f}", "", "ü🎉", "/"]),
        .matching(.and([.compare("näme", .equal, .text("\\/\"\n")), .not(.exists("vip", true))])),
        .matching(
            .or([.compare("age", .less, .real(0.1)), .oneOf("n", [.integer(.max), .boolean(false)])])),
        Target(
            .all, excluding: Target.Exclusion(userKeys: ["\"", "ü🎉"], tokens: ["aa"]),
            sample: TargetSample(share: 1, from: 999_999, seed: 1 << 53 - 1)),
        Target(.tokens(["aa", "zz"]), excluding: Target.Exclusion(userKeys: ["anna"])),
        Target(.userKeys(["anna"]), sample: TargetSample(share: 500_000)),
        Target(.parameters(["city": "Paris"]), excluding: Target.Exclusion(tokens: ["zz"])),
    ])
    func `a delivery is shown as it was submitted`(target: Target) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let order = fixture.order(target, apps: [app]) {
                $0.schedule.start = TemporaryStore.noon.later(seconds: 60).time
                $0.schedule.validitySeconds = 3_600
                $0.schedule.priority = .veryHigh
                $0.schedule.ratePerSecond = 50
                $0.retry = RetryOverride(count: 2, periodSeconds: 90)
                $0.tracking = false
            }
            let id = try fixture.store.deliverySubmitter.submit(order, at: TemporaryStore.noon)
            let shown = try #require(try fixture.store.deliveries.delivery(id))
            #expect(shown.order == order)
            #expect(shown.state == .startPending && shown.counts == DeliveryCounts())
            #expect(
                shown.createdAt == TemporaryStore.noon.time && shown.startedAt == nil
                    && shown.finishedAt == nil)
            #expect(shown.expiresAt == TemporaryStore.noon.later(seconds: 3_660).time)
        }
    }

    @Test func `an entry that occurs twice in a list counts once`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(.userKeys(["user-1", "user-2", "user-1"]), apps: [app, app])
            try fixture.prepare(id)
            #expect(try fixture.counts(id).targeted == 2)
            #expect(
                try fixture.store.deliveries.delivery(id)?.order.target == .userKeys(["user-1", "user-2"]))
            #expect(try fixture.store.deliveries.delivery(id)?.order.apps == [app.id])
        }
    }

    @Test func `unknown apps and lists that are too long are refused`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let missing = App(
                id: AppID(rawValue: 55), service: app.service, revision: app.revision, settings: app.settings)
            expect(.unknown(.app, name: "55")) { _ = try fixture.submit(apps: [app, missing]) }
            guard
                case .limitReached = cause(of: {
                    _ = try fixture.submit(.tokens((0...10_000).map(String.init)), apps: [app])
                })
            else {
                Issue.record("accepted")
                return
            }
            for exclusion in [
                Target.Exclusion(userKeys: (0...10_000).map(String.init)),
                Target.Exclusion(tokens: (0...10_000).map(String.init)),
            ] {
                guard
                    case .limitReached = cause(of: {
                        _ = try fixture.submit(Target(.all, excluding: exclusion), apps: [app])
                    })
                else {
                    Issue.record("accepted")
                    return
                }
            }
            #expect(try fixture.store.deliveries.list() == [])
        }
    }
}
