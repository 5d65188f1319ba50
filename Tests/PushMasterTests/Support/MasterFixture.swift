import Foundation
import GRDB
import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import PushWire
import Synchronization
import TestSupport
import Testing

/// A store in its own folder with one or two apps, and the mailboxes for the master's threads. At the end,
/// the counters of every delivery are compared with its rows.
final class MasterFixture {
    let folder: String
    let store: Store
    let key: InstanceKey
    let loop: Mailbox<LoopEvent>
    /// Events that have arrived and that the test has not yet requested.
    private var events: [LoopEvent] = []

    private init(folder: String) throws {
        self.folder = folder
        // The time limit is short, so that a locked store causes trouble immediately.
        store = try Store.open(path: folder + "/pushmta.db", busyTimeoutMilliseconds: 20)
        key = try store.instanceKey()
        loop = try Mailbox()
        _ = try store.catalogueWriter(key: key).createService(name: "news", label: "News")
    }

    /// - Parameter damages: `true` if the test leaves incorrect counters.
    static func with(damages: Bool = false, _ story: (MasterFixture) throws -> Void) throws {
        try TemporaryFolder.with { folder in
            let fixture = try MasterFixture(folder: folder)
            try story(fixture)
            guard !damages else { return }
            for summary in try fixture.store.deliveries.list(limit: 5_000) {
                #expect(summary.counts.isBalanced)
                #expect(try fixture.store.inspection.recount(summary.id) == summary.counts)
            }
        }
    }

    // MARK: What the store holds

    /// Creates an app with the given number of subscribers.
    func app(
        _ name: String, subscribers: Int = 0, connector: ConnectorName = .stub, identity: String = "none",
        environment: PushEnvironment = .production, credential: OpaqueCredential? = nil
    ) throws -> App {
        let settings = AppSettings(
            name: name, platform: .ios, integrationKey: "key of \(name)", connector: connector,
            environment: environment, bundleID: "com.example.\(name)", credentialIdentity: identity,
            messageIDFormat: .uuid)
        let app = try store.catalogueWriter(key: key).createApp(
            settings, service: "news", credential: credential)
        let records = (0..<subscribers).map {
            SubscriberRecord(token: Self.token($0), userKey: "user-\($0)", parametersJSON: nil)
        }
        _ = try store.subscriberImporter.upsert(records, into: app.id, at: Clocks.moment())
        return app
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    func submit(_ apps: App..., target: Target = .all, start: WallTime? = nil) throws -> DeliveryID {
        try submit(apps, target: target, start: start)
    }

    func submit(_ apps: [App], target: Target = .all, start: WallTime? = nil) throws -> DeliveryID {
        var schedule = DeliverySchedule()
        schedule.start = start
        let order = DeliveryOrder(
            label: "Sale", service: ServiceID(rawValue: 1), apps: apps.map(\.id), target: target,
            schedule: schedule,
            retry: RetryOverride(), tracking: true, contentJSON: Array(#"{"title":"Hello"}"#.utf8))
        return try store.deliverySubmitter.submit(order, at: Clocks.moment())
    }

    /// Accepts a single message to each of these subscribers, with two alternating texts.
    /// - Returns: The deliveries to which the messages were added.
    func send(to subscribers: Range<Int>, of app: App, alert text: String = "Hello") throws -> Set<DeliveryID>
    {
        let service = try #require(try store.catalogue.service(app.service))
        let messages = subscribers.map { number in
            NewMessage(
                service: service, apps: [NewMessage.Addressee(app)], recipient: .token(Self.token(number)),
                content: MessageContent(json: Array(#"{"title":"\#(text) \#(number % 2)"}"#.utf8)))
        }
        return Set(
            store.accept(messages, at: Clocks.moment()).compactMap { try? $0.get().delivery })
    }

    /// Prepares a delivery completely, without using a writer.
    func prepare(_ delivery: DeliveryID) throws -> [Part] {
        var parts: [Part] = []
        while true {
            let step = try store.preparation.prepareChunk(of: delivery, at: Clocks.moment())
            if let part = step.part { parts.append(part) }
            if step.isComplete { return parts }
        }
    }

    func counts(_ delivery: DeliveryID) throws -> DeliveryCounts {
        try #require(try store.deliveries.summary(of: delivery)).counts
    }

    /// Makes messages of a delivery due for a retry since one second ago.
    func makeRetrying(_ messages: [MessageID], of delivery: DeliveryID) throws {
        var batch = OutcomeBatch(delivery: delivery)
        batch.others = messages.map { message in
            MessageRecord(
                message: message,
                change: .retrying(
                    due: Clocks.wall().advanced(bySeconds: -1), .undefined, .unreachable,
                    providerReason: "test"),
                countsAttempt: true)
        }
        _ = try store.outcomes.record([batch], at: Clocks.moment())
    }

    /// Marks messages in a delivery as failed, with verdicts about their tokens that wait for the account.
    func holdVerdicts(
        about messages: [MessageID], of delivery: DeliveryID,
        through account: AccountKey = AccountKey(rawValue: "an account"), judgement: TrustJudgement = .wait
    ) throws {
        var batch = OutcomeBatch(delivery: delivery)
        batch.others = messages.map { message in
            MessageRecord(
                message: message, change: .failed(.hard, .userUnknown, providerReason: "Unregistered"),
                countsAttempt: true,
                tokenVerdict: TokenVerdict(gravity: .dead, deadSince: Clocks.moment(), account: account))
        }
        batch.answers = [AccountAnswers(account: account, accepted: 100, aboutTokens: messages.count)]
        _ = try store.outcomes.record([batch], at: Clocks.moment(), judge: { _ in judgement })
    }

    /// Runs the body of the test while another process has locked the store for writing.
    func whileSomebodyWrites(_ body: () throws -> Void) throws {
        let other = try StoreFile.open(store.path) { $0.allowsUnsafeTransactions = true }
        try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        defer { try? other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") } }
        try body()
    }

    /// Changes rows without the knowledge of any process.
    /// - Parameter inTransaction: `false` for statements that cannot be part of a transaction.
    func tamper(_ sql: String, inTransaction: Bool = true) throws {
        let other = try StoreFile.open(store.path)
        if inTransaction {
            try other.write { try $0.execute(sql: sql) }
        } else {
            try other.writeWithoutTransaction { try $0.execute(sql: sql) }
        }
    }

    /// Makes copies of the store's last delivery, which has one message, without thousands of transactions.
    /// - Returns: The acceptance of the message in each copy.
    func acceptedCopies(_ count: Int, of delivery: DeliveryID) throws -> [OutcomeBatch] {
        try copies(count, of: delivery).map { copy, message in
            var batch = OutcomeBatch(delivery: copy)
            batch.accepted = [message]
            return batch
        }
    }

    /// The same copies, with the message of each copy.
    func copies(_ count: Int, of delivery: DeliveryID) throws -> [(DeliveryID, MessageID)] {
        let message = try #require(try store.deliveries.log(of: delivery).first).message
        try tamper(
            """
            CREATE TEMP TABLE number AS WITH RECURSIVE n (v) AS (VALUES (1) UNION ALL SELECT v + 1 FROM n
                WHERE v < \(count)) SELECT v FROM n;
            CREATE TEMP TABLE d AS SELECT delivery.* FROM delivery, number WHERE id = \(delivery);
            UPDATE d SET id = id + rowid;
            INSERT INTO delivery SELECT * FROM d;
            CREATE TEMP TABLE p AS SELECT part.* FROM part, number WHERE delivery_id = \(delivery);
            UPDATE p SET id = id + rowid, delivery_id = delivery_id + rowid;
            INSERT INTO part SELECT * FROM p;
            CREATE TEMP TABLE m AS SELECT part_progress.* FROM part_progress, number WHERE delivery_id = \(delivery);
            UPDATE m SET part_id = part_id + rowid, delivery_id = delivery_id + rowid;
            INSERT INTO part_progress SELECT * FROM m;
            UPDATE numbering SET last_message = last_message + \(count);
            """)
        return (1...Int64(count)).map { number in
            (DeliveryID(rawValue: delivery.rawValue + number), MessageID(rawValue: message.rawValue + number))
        }
    }

    // MARK: Events from the threads

    /// Waits for the first event that the closure accepts. Earlier events are discarded.
    func next<Value>(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ choice: (LoopEvent) -> Value?
    ) throws -> Value {
        var found: Value?
        eventually(what, sourceLocation: sourceLocation) {
            if events.isEmpty { events = loop.wait(atMostMilliseconds: 50) }
            while found == nil, !events.isEmpty { found = choice(events.removeFirst()) }
            return found != nil
        }
        return try #require(found, sourceLocation: sourceLocation)
    }

    /// Returns the remaining events that have arrived.
    func rest() -> [LoopEvent] {
        defer { events = [] }
        return events + loop.take()
    }
}

extension Part {
    var ids: [MessageID] {
        (messages.lowerBound.rawValue...messages.upperBound.rawValue).map(MessageID.init(rawValue:))
    }
}

extension LoopEvent {
    /// A short name, for comparing the order of events.
    var word: String {
        switch self {
        case .committed: "committed"
        case .prepared: "prepared"
        case .finished: "finished"
        case .storeFailure: "failure"
        case .storeRecovered: "recovered"
        case .account: "account"
        case .appJoined: "app"
        case .job: "job"
        case .parts: "parts"
        case .retriesDue: "retriesDue"
        case .filled: "filled"
        default: "other"
        }
    }
    var isCommitted: Bool { if case .committed = self { true } else { false } }
    var isFailure: Bool { if case .storeFailure = self { true } else { false } }
    var isRecovery: Bool { if case .storeRecovered = self { true } else { false } }
    var isPrepared: Bool { if case .prepared = self { true } else { false } }
    var finished: [DeliveryID]? { if case .finished(let deliveries) = self { deliveries } else { nil } }
}
