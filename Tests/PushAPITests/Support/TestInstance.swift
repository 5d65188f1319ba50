import Foundation
import PushAPI
import PushConfig
import PushConnectors
import PushModel
import PushStore
import PushWire
import Synchronization
import TestRequests
import TestSupport
import Testing

/// An instance with its own store in a temporary folder, which is deleted with it. Its wall clock is fixed at
/// noon.
final class TestInstance {
    let folder: URL
    let operations: Operations
    let engine = StandInEngine()

    static let noon = WallMoment(WallTime(secondsSince1970: 1_795_262_400))

    /// - Parameters:
    ///   - settings: XML elements in addition to the store's.
    ///   - monotonic: The monotonic clock. By default, it does not advance.
    init(
        _ settings: String = "<mta/>",
        monotonic: @escaping @Sendable () -> MonotonicTime = { MonotonicTime(nanoseconds: 0) }
    ) throws {
        folder = try TemporaryFolder.make()
        let file = folder.appending(path: "serverConf.xml").path(percentEncoded: false)
        let text = """
            <serverConf>
              <shared><dataStore><dataSource name="default">
                <dbcnx provider="SQLite" server="var/pushmta.db"/>
              </dataSource></dataStore></shared>
              \(settings)
            </serverConf>
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let configuration = try ConfigurationFile.load(path: file, schema: ConnectorCatalogue.settings)
        operations = Operations(
            configuration: configuration, store: try Store.open(configuration.settings.store.place),
            engine: engine,
            clock: OperationsClock(moment: { TestInstance.noon }, monotonic: monotonic),
            caller: "a test")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var store: Store { operations.store }

    /// Creates an instance with service `neotrips` and app `ios`, which sends nothing.
    static func withApp(
        _ settings: String = "<mta/>",
        monotonic: @escaping @Sendable () -> MonotonicTime = { MonotonicTime(nanoseconds: 0) }
    ) throws -> TestInstance {
        let instance = try TestInstance(settings, monotonic: monotonic)
        _ = try instance.operations.carryOut(CreateService(name: "neotrips"))
        _ = try instance.operations.carryOut(stubApp("ios"))
        return instance
    }

    static func stubApp(
        _ name: String, platform: Platform = .ios, service: String = "neotrips"
    ) -> CreateApp {
        CreateApp(
            name: name, service: service, platform: platform, integrationKey: "key of \(name)",
            connector: "stub")
    }

    /// Adds subscribers `user1`… to an app.
    func subscribe(_ count: Int, to name: String = "ios", parameters: String? = nil) throws {
        try add(
            (1...count).map {
                SubscriberRecord(token: Self.token($0), userKey: "user\($0)", parametersJSON: parameters)
            }, to: name)
    }

    /// Adds these subscribers to an app.
    func add(
        _ records: [SubscriberRecord], to name: String = "ios", at now: WallMoment = TestInstance.noon
    ) throws {
        let app = try #require(try store.catalogue.app(named: name))
        _ = try store.subscriberImporter.upsert(records, into: app.id, at: now)
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    static func submission(_ changes: [String: Any] = [:]) throws -> SubmitDelivery {
        var document: [String: Any] = [
            "label": "Spring sale", "service": "neotrips", "apps": ["ios"], "target": ["all": true],
            "allowEmpty": true, "content": ["title": "Hello"],
        ]
        for (key, value) in changes { document[key] = value is NSNull ? nil : value }
        let bytes = try JSONSerialization.data(withJSONObject: document)
        return SubmitDelivery(document: Array(bytes), documentName: "sale.json")
    }

    /// Prepares a delivery. The app's account then reports every token as dead, which counts as a storm.
    func refuse(_ id: DeliveryID) throws {
        let app = try #require(try store.catalogue.app(named: "ios"))
        let mark = try engine.account(of: app).mark.part(of: app)
        while true {
            let step = try store.preparation.prepareChunk(of: id, at: Self.noon)
            if let part = step.part {
                let (first, last) = (part.messages.lowerBound.rawValue, part.messages.upperBound.rawValue)
                for start in stride(from: first, through: last, by: 1_000) {
                    let messages = start...min(start + 999, last)
                    _ = try store.outcomes.record(
                        [Self.refusals(of: messages, mark, id)], at: Self.noon, judge: { _ in .storm })
                }
            }
            if step.isComplete { break }
        }
    }

    /// Prepares a delivery completely.
    func prepare(_ id: DeliveryID) throws {
        while try !store.preparation.prepareChunk(of: id, at: Self.noon).isComplete {}
    }

    /// Prepares a delivery and accepts all its messages.
    func accept(_ id: DeliveryID) throws {
        while true {
            let step = try store.preparation.prepareChunk(of: id, at: Self.noon)
            if let part = step.part {
                var batch = OutcomeBatch(delivery: id)
                let numbers = part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue
                batch.accepted = numbers.map(MessageID.init(rawValue:))
                _ = try store.outcomes.record([batch], at: Self.noon)
            }
            if step.isComplete { return }
        }
    }

    private static func refusals(
        of messages: ClosedRange<Int64>, _ mark: AccountKey, _ id: DeliveryID
    ) -> OutcomeBatch {
        var batch = OutcomeBatch(delivery: id)
        batch.others = messages.map {
            MessageRecord(
                message: MessageID(rawValue: $0),
                change: .failed(.hard, .userUnknown, providerReason: "Unregistered"), countsAttempt: true,
                tokenVerdict: TokenVerdict(gravity: .dead, deadSince: nil, account: mark))
        }
        batch.answers = [AccountAnswers(account: mark, aboutTokens: messages.count)]
        return batch
    }
}

/// A sending engine that the test controls.
final class StandInEngine: SendingEngine {
    private let state = Mutex<
        (
            wakeUps: Int, status: MasterStatus?,
            elsewhere: (@Sendable (ServiceRequest, String) -> CarriedOut)?,
            withdrawing: (@Sendable (DeliveryID) throws -> Int?)?
        )
    >((0, nil, nil, nil))

    var wakeUps: Int { state.withLock { $0.wakeUps } }
    func run(_ status: MasterStatus) { state.withLock { $0.status = status } }
    /// Sets the closure that executes operations that change data.
    func carryOut(by other: @escaping @Sendable (ServiceRequest, String) -> CarriedOut) {
        state.withLock { $0.elsewhere = other }
    }

    var isRunning: Bool { state.withLock { $0.status != nil } }
    func status() throws -> MasterStatus? { state.withLock { $0.status } }
    func apply(_ configuration: LoadedConfiguration) throws {}
    func wakeUp() { state.withLock { $0.wakeUps += 1 } }
    private let resumedMarks = Mutex<[AccountKey]>([])
    /// The accounts whose wait was ended.
    var resumed: [AccountKey] { resumedMarks.withLock { $0 } }
    private let resumeOrders = Mutex<[Int64?]>([])
    /// The numbers of these orders in the store.
    var orders: [Int64?] { resumeOrders.withLock { $0 } }
    func resumeAccount(_ mark: AccountKey, order: Int64?) throws {
        resumedMarks.withLock { $0.append(mark) }
        resumeOrders.withLock { $0.append(order) }
    }
    /// Sets the result for stopped deliveries. Until this is called, no master sends.
    func withdraw(by other: @escaping @Sendable (DeliveryID) throws -> Int?) {
        state.withLock { $0.withdrawing = other }
    }
    func withdraw(_ delivery: DeliveryID) throws -> Int? { try state.withLock { $0.withdrawing }?(delivery) }
    private let asked = Mutex<(@Sendable (MessageID) throws -> Bool?)?>(nil)
    /// Sets whether children may have a message. Until this is called, no master sends.
    func maySend(by other: @escaping @Sendable (MessageID) throws -> Bool?) { asked.withLock { $0 = other } }
    func maySend(_ message: MessageID) throws -> Bool? { try asked.withLock { $0 }?(message) }
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut {
        state.withLock { $0.elsewhere }?(request, caller) ?? .notTaken
    }
    private let order = Mutex(GatewayOrder())
    /// Sets the gateway of all connectors to a port at which no process listens: port 1 of the loopback
    /// address is reserved.
    func makeGatewayUnreachable() {
        order.withLock { ($0.address, $0.port) = ("127.0.0.1", 1) }
    }
    func gateway(of connector: ConnectorName) throws -> GatewayOrder { order.withLock { $0 } }
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

/// Returns the error with which a use case fails. Records an issue if it does not fail.
func failure(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(OperationError) -> Void
) -> OperationError? {
    do throws(OperationError) {
        try body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        return nil
    } catch {
        return error
    }
}
