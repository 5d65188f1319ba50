import Foundation
import Logging
import PushCrypto
import PushModel
import PushStore
import PushSystem
import PushWebhooks
import Synchronization
import TestSupport
import Testing

/// A store with an app and subscribers, and a sender on its own thread.
final class WebhookFixture {
    let folder: String
    let store: Store
    let key: InstanceKey
    let app: App
    let sender: WebhookSender
    let log: LogLines
    let clock = AdvancedClock()
    private let thread: Thread
    private let ended = DispatchSemaphore(value: 0)

    static func with(
        days: Int = 7, megabytes: Int = 256, startsSender: Bool = true,
        _ story: (WebhookFixture) throws -> Void
    ) throws {
        try TemporaryFolder.with { folder in
            let fixture = try WebhookFixture(folder, days: days, megabytes: megabytes)
            if startsSender { fixture.start() }
            defer { fixture.stop() }
            try story(fixture)
        }
    }

    private var isRunning = false

    private init(_ folder: String, days: Int, megabytes: Int) throws {
        self.folder = folder
        store = try Store.open(path: folder + "/pushmta.db")
        key = try store.instanceKey()
        let writer = store.catalogueWriter(key: key)
        _ = try writer.createService(name: "neotrips", label: "Neotrips")
        let settings = AppSettings(
            name: "neotrips-ios", platform: .ios, integrationKey: "key", connector: .iosHTTP2,
            environment: .production, bundleID: "com.example.neotrips", credentialIdentity: "TEAM:KEY",
            messageIDFormat: .uuid)
        app = try writer.createApp(settings, service: "neotrips", credential: nil)
        let log = LogLines()
        self.log = log
        let sender = WebhookSender(
            store: store, key: key, bounds: { (days, megabytes) }, moment: { [clock] in clock.now },
            logger: Logger(label: "webhooks") { _ in log })
        self.sender = sender
        let ended = ended
        thread = Thread {
            sender.run()
            ended.signal()
        }
    }

    func start() {
        isRunning = true
        thread.start()
    }

    func stop() {
        guard isRunning else { return }
        isRunning = false
        sender.end()
        ended.wait()
    }

    /// Creates a webhook whose secret is the bytes of its name.
    @discardableResult
    func webhook(
        _ name: String = "crm", to receiver: HTTPReceiver,
        _ kinds: [WebhookEventKind] = WebhookEventKind.allCases
    ) throws -> Webhook {
        try store.webhookWriter(key: key).create(
            WebhookOrder(name: name, url: receiver.url, kinds: WebhookEventKinds(kinds)),
            secret: Array(name.utf8), at: Clocks.moment())
    }

    func webhook(_ name: String = "crm") throws -> Webhook {
        try #require(try store.webhooks.webhook(named: name))
    }

    private var count = 0

    /// Runs a delivery to the given number of new subscribers, all of whose messages are sent.
    @discardableResult
    func sent(_ number: Int) throws -> [MessageLogEntry] {
        let (id, messages) = try prepared(number)
        var batch = OutcomeBatch(delivery: id)
        batch.accepted = messages
        _ = try store.outcomes.record([batch], at: Clocks.moment())
        return try store.deliveries.log(of: id)
    }

    func prepared(_ number: Int) throws -> (DeliveryID, [MessageID]) {
        let keys = (count..<count + number).map { "user-\($0)" }
        count += number
        let now = Clocks.moment()
        _ = try store.subscriberImporter.upsert(
            keys.map { SubscriberRecord(token: "fcm:\($0)", userKey: $0, parametersJSON: nil) }, into: app.id,
            at: now)
        let id = try store.deliverySubmitter.submit(
            DeliveryOrder(
                label: "sale", service: app.service, apps: [app.id], target: .userKeys(keys),
                schedule: DeliverySchedule(), retry: RetryOverride(), tracking: true,
                contentJSON: Array("{}".utf8)),
            at: now)
        while try !store.preparation.prepareChunk(of: id, at: now).isComplete {}
        return (id, try store.deliveries.log(of: id).map(\.message))
    }
}

/// The machine's clock plus an offset that the test sets, so that an hour can pass without waiting.
final class AdvancedClock: Sendable {
    private let ahead = Mutex<Int64>(0)

    var now: WallMoment {
        WallMoment(
            millisecondsSince1970: Clocks.moment().millisecondsSince1970 + ahead.withLock(\.self))
    }

    func advance(seconds: Int64) { ahead.withLock { $0 += seconds * 1_000 } }
}

/// The log lines of the sender.
final class LogLines: LogHandler, Sendable {
    private let kept = Mutex<[String]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    var lines: [String] { kept.withLock(\.self) }

    func log(event: LogEvent) { kept.withLock { $0.append("\(event.message)") } }
}

/// A batch as a receiver reads it, with an independent implementation of the specification.
struct ReceivedBatch: Decodable {
    struct Event: Decodable, Equatable {
        var type: String
        var time: String
        var delivery: Int64?
        var service: String?
        var app: String?
        var message: String?
        var messageId: String?
        var userKey: String?
        var failureType: String?
        var failureReason: String?
        var providerReason: String?
        var reason: String?
        var source: String?
    }
    var webhook: String
    var events: [Event]

    init(_ request: HTTPReceiver.Request) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(request.body))
    }
}

extension HTTPReceiver.Request {
    var id: String { headers["webhook-id"] ?? "" }

    /// Returns whether one of the batch's signatures was made with this secret.
    func isSigned(with secret: [UInt8]) -> Bool {
        let second = headers["webhook-timestamp"] ?? ""
        let signed = Array("\(id).\(second).".utf8) + body
        let code = HMACSHA256.code(for: signed, using: SymmetricKey(secret))
        let wanted = "v1,\(Data(code).base64EncodedString())"
        return (headers["webhook-signature"] ?? "").split(separator: " ").contains { $0 == wanted }
    }
}
