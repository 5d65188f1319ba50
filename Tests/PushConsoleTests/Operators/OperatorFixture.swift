import PushAPI
import PushConfig
import PushConsole
import PushModel
import PushStore
import PushWire
import Synchronization
import TestSupport
import Testing

/// A console with service `shop`, whose app `shop-ios` sends nothing, a master whose status the test sets, and
/// a person who uses the console.
final class OperatorFixture {
    /// A name with markup and a reversed writing direction.
    static let hostile = "<script>alert(1)</script>\"' \u{202E}gnp & " + String(repeating: "long", count: 30)
    static let mark = "APNs production KEY#1a2b3c4d"

    let console: ConsoleFixture
    let browser: Browser
    let engine = BusyEngine()
    private let base: Operations

    init(_ role: Role = .admin, withApp: Bool = true) throws {
        console = try ConsoleFixture()
        base = console.operations.with(engine: engine)
        if withApp {
            var service = CreateService()
            service.name = "shop"
            _ = try base.carryOut(service)
            let json = #"""
                {"name": "shop-ios", "service": "shop", "platform": "ios", "integrationKey": "a key",
                "connector": "stub"}
                """#
            _ = try base.carryOut(CreateApp.request(names: [:], query: [:], body: Array(json.utf8)))
        }
        browser = try console.browser(of: "mara", role)
    }

    var operations: Operations { base }

    func get(_ address: String) throws -> ConsoleAnswer { send(try browser.request(.get, address)) }

    /// Submits a form from a page of the console.
    func post(_ address: String, _ fields: [(String, String)] = []) throws -> ConsoleAnswer {
        var request = try browser.request(.post, address)
        request.fetchSite = "same-origin"
        let all = fields + [("_csrf", browser.csrf)]
        request.form = FormFields(all.map { FormFields.Field(name: $0.0, value: $0.1) })
        return send(request)
    }

    private func send(_ request: ConsoleRequest) -> ConsoleAnswer {
        let answer = console.console.answer(request, operations: base)
        for text in answer.values(of: "set-cookie") {
            let pair = text.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            let isGone = text.contains("Max-Age=0") || pair.count < 2
            browser.cookies[String(pair[0])] = isGone ? nil : String(pair[1])
        }
        if let found = answer.text.firstMatch(of: /name="_csrf" value="([^"]+)"/) {
            browser.csrf = String(found.output.1)
        }
        return answer
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// Adds subscribers `user1`….
    func subscribe(_ count: Int) throws {
        let app = try #require(try base.store.catalogue.app(named: "shop-ios"))
        let records = (1...count).map {
            SubscriberRecord(token: Self.token($0), userKey: "user\($0)", parametersJSON: nil)
        }
        _ = try base.store.subscriberImporter.upsert(records, into: app.id, at: ConsoleFixture.start)
    }

    /// Makes the account report every token as dead, which is a storm.
    /// - Returns: The storm's account.
    func makeStorm(_ count: Int) throws -> String {
        try subscribe(count)
        let document = """
            {"label": "Sale", "service": "shop", "apps": ["shop-ios"], "target": {"all": true},
            "content": {"title": "Hello"}}
            """
        let submit = SubmitDelivery(document: Array(document.utf8), documentName: "")
        let id = try base.carryOut(submit).id
        let app = try #require(try base.store.catalogue.app(named: "shop-ios"))
        let mark = try engine.account(of: app).mark.part(of: app)
        while true {
            let step = try base.store.preparation.prepareChunk(of: id, at: ConsoleFixture.start)
            if let part = step.part {
                var batch = OutcomeBatch(delivery: id)
                let numbers = part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue
                batch.others = numbers.map {
                    MessageRecord(
                        message: MessageID(rawValue: $0),
                        change: .failed(.hard, .userUnknown, providerReason: "Unregistered"),
                        countsAttempt: true,
                        tokenVerdict: TokenVerdict(gravity: .dead, deadSince: nil, account: mark))
                }
                batch.answers = [AccountAnswers(account: mark, aboutTokens: batch.others.count)]
                _ = try base.store.outcomes.record([batch], at: ConsoleFixture.start, judge: { _ in .storm })
            }
            if step.isComplete { break }
        }
        return try #require(try base.carryOut(ShowStorms()).first).account
    }

    /// A master with one account and one alarm of each kind.
    static func status(named name: String = "shop account", state: String = "working") -> MasterStatus {
        let account = AccountStatus(
            name: name, mark: mark, apps: ["shop-ios", name], state: state,
            reason: state == "working" ? "" : "the gateway refuses: \(name)", secondsUntilProbe: 20,
            outstanding: 12, inFlight: 5, window: 1_000, connections: 1, ratePerSecond: 100, children: [77],
            granted: 9, answersPerSecond: 411.25,
            troubles: [.init(text: name, count: 3, lastAt: ConsoleFixture.start.time)],
            topics: [
                .init(
                    name: name, state: "waiting", reason: "TopicDisallowed", secondsUntilProbe: 5,
                    waitingRanges: 2)
            ], limitedBy: .window)
        let alarms = (MasterStatus.Alarm.kinds + ["a new kind"]).map {
            MasterStatus.Alarm(kind: $0, about: $0 == "delivery" ? "7" : name, cause: name, seconds: 90)
        }
        let child = MasterStatus.Child(
            pid: 77, generation: 2, state: "working", outstanding: 12, waiting: 7, inFlight: 5,
            connections: 1,
            residentKilobytes: 2_048)
        return MasterStatus(
            pid: 76, uptimeSeconds: 7_200, state: "running", unrecorded: 3, waitingRanges: 0, alarms: alarms,
            children: [child], accounts: [account])
    }
}

/// An engine whose master's status the test sets.
final class BusyEngine: SendingEngine {
    private let present = Mutex<MasterStatus?>(nil)
    private let marks = Mutex<[AccountKey]>([])

    func run(_ status: MasterStatus) { present.withLock { $0 = status } }
    /// The accounts whose wait was ended.
    var resumed: [String] { marks.withLock { $0.map(\.rawValue) } }

    var isRunning: Bool { present.withLock { $0 != nil } }
    func status() throws -> MasterStatus? { present.withLock { $0 } }
    func resumeAccount(_ mark: AccountKey, order: Int64?) throws { marks.withLock { $0.append(mark) } }
    func wakeUp() {}
    func withdraw(_ delivery: DeliveryID) throws -> Int? { nil }
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut { .notTaken }
    func gateway(of connector: ConnectorName) throws -> GatewayOrder { GatewayOrder() }
    func account(of app: App) throws -> SendingAccount {
        let settings = app.settings
        let mark = AccountKey(
            settings.connector, settings.environment, identity: settings.credentialIdentity,
            credentialMark: "1")
        return SendingAccount(
            name: mark.accountName, mark: mark,
            order: AccountOrder(
                account: 1, connector: settings.connector, environment: settings.environment,
                credential: OpaqueCredential(bytes: []), gateway: GatewayOrder()))
    }
}
