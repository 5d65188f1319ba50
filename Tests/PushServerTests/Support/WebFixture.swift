import Foundation
import Logging
import PushAPI
import PushConfig
import PushConnectors
import PushModel
import PushServer
import PushStore
import PushSystem
import PushWire
import Synchronization
import TestSupport
import Testing

/// A web module on its own port, with a store in a folder that is removed with it, and with a master that
/// reports what a test requires.
final class WebFixture: Sendable {
    let folder: URL
    let store: Store
    let engine: SaidEngine
    /// The threads that requests pass through.
    let trail: ThreadTrail
    let log = Said()
    let module: WebModule
    let operations: Operations
    private let writer: WriteService
    /// Locked while the store must hang.
    let hanging = Hang()
    var address: String { module.address }
    static let noon = WallMoment(WallTime(secondsSince1970: 1_795_262_400))

    /// - Parameters:
    ///   - settings: XML elements in addition to the store's.
    ///   - change: Changes the settings of the module.
    init(
        hasMaster: Bool = true, settings xml: String = "",
        _ change: (inout WebConfiguration) -> Void = { _ in }
    ) throws {
        let trail = ThreadTrail()
        (self.trail, engine) = (trail, SaidEngine(trail))
        folder = try TemporaryFolder.make()
        let file = folder.appending(path: "serverConf.xml").path(percentEncoded: false)
        let text = """
            <serverConf><shared><dataStore><dataSource name="default">
              <dbcnx provider="SQLite" server="var/pushmta.db"/>
            </dataSource></dataStore></shared><trackinglogd autoStart="true"/>\(xml)</serverConf>
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let configuration = try ConfigurationFile.load(path: file, schema: ConnectorCatalogue.settings)
        let store = try Store.open(configuration.settings.store.place)
        self.store = store
        let (hanging, relay) = (hanging, WriteRelay())
        let operations = Operations(
            configuration: configuration, store: store.writing(through: relay), engine: engine,
            clock: OperationsClock(
                moment: {
                    trail.note("caller")
                    return hanging.withLock { _ in Self.noon }
                },
                monotonic: { MonotonicTime(nanoseconds: 0) }), caller: "a test")
        self.operations = operations
        let clock = WriteClock(wall: {
            trail.note("writer")
            return Self.noon
        })
        let writer = WriteService(store: store, judge: { _ in .wait }, clock: clock, events: { _ in })
        relay.forward(to: writer)
        Thread.detachNewThread { writer.run() }
        Thread.detachNewThread { writer.callBack() }
        self.writer = writer
        let devices = DeviceServices(
            registrations: RegisterDevice(operations, writer: writer),
            hits: try RecordHit(operations, writer: writer))
        var settings = WebConfiguration()
        settings.httpPort = 0
        change(&settings)
        let product = WebSource.Product(version: "1.2.3", commit: "abc", schema: "12/4")
        let log = log
        let source = WebSource(
            hasMaster: hasMaster, product: product, logger: Logger(label: "web") { _ in SaidLog(log) },
            devices: { devices }
        ) {
            trail.note("request")
            return operations
        }
        module = try WebModule(settings, source)
    }

    /// Ends the module, whatever the result of the test.
    func close() {
        stopModule()
        writer.end()
        try? FileManager.default.removeItem(at: folder)
    }

    func stopModule() {
        _ = module.drain(until: Clocks.monotonic().advanced(bySeconds: 1))
        module.stop()
    }

    static func with(
        hasMaster: Bool = true, settings: String = "",
        changing change: (inout WebConfiguration) -> Void = { _ in },
        _ story: (WebFixture) async throws -> Void
    ) async throws {
        let fixture = try WebFixture(hasMaster: hasMaster, settings: settings, change)
        defer { fixture.close() }
        try await story(fixture)
    }

    /// Runs the test with an iOS app whose integration key is `key`.
    static func withApp(
        changing change: (inout WebConfiguration) -> Void = { _ in },
        _ story: (WebFixture, App) async throws -> Void
    ) async throws {
        try await with(changing: change) { web in
            let writer = web.store.catalogueWriter(key: try web.store.instanceKey())
            _ = try writer.createService(name: "shop", label: "Shop")
            let app = try writer.createApp(
                AppSettings(
                    name: "ios", platform: .ios, integrationKey: "key", connector: .stub,
                    environment: .production, bundleID: "com.example.shop", credentialIdentity: "",
                    messageIDFormat: .integer), service: "shop", credential: nil)
            try await story(web, app)
        }
    }

    func get(_ path: String, method: String = "GET") throws -> PlainHTTP.Reply {
        try PlainHTTP.get(path, at: address, method: method)
    }
}

/// Records which threads requests pass through, and where.
final class ThreadTrail: Sendable {
    struct Step: Equatable {
        var place: String
        var thread: UInt
    }

    private let steps = Mutex<[Step]?>(nil)

    func note(_ place: String) {
        let step = Step(place: place, thread: UInt(pthread_self()))
        steps.withLock { steps in if steps?.last != step { steps?.append(step) } }
    }

    /// Returns the steps that the body causes.
    func following(_ body: () throws -> Void) rethrows -> [Step] {
        steps.withLock { $0 = [] }
        try body()
        return steps.withLock { steps in
            defer { steps = nil }
            return steps ?? []
        }
    }
}

/// A sending engine that reports what a test requires, or nothing at all.
final class SaidEngine: SendingEngine {
    private let trail: ThreadTrail

    init(_ trail: ThreadTrail) { self.trail = trail }

    private struct Said {
        var status: MasterStatus?
        var silence: Double?
        var failure: String?
        var asked = 0
        var withdrawals = 0
        var accounts = 0
    }
    private let said = Mutex(Said())
    /// Locked while the engine must hang.
    let hanging = Hang()
    private let gates = (status: Gate(), child: Gate(), account: Gate())

    /// The number of requests for its status.
    var asked: Int { said.withLock(\.asked) }
    /// The number of deliveries that were withdrawn or are being withdrawn.
    var withdrawals: Int { said.withLock(\.withdrawals) }

    /// Runs `story` while requests for the status get no answer.
    func whileHanging(_ story: () async throws -> Void) async throws {
        gates.status.close()
        defer { gates.status.open() }
        try await story()
    }

    /// Runs `story` while no delivery is returned.
    func whileChildHangs(_ story: () async throws -> Void) async throws {
        gates.child.close()
        defer { gates.child.open() }
        try await story()
    }

    /// The number of requests for an account.
    var accountsAsked: Int { said.withLock(\.accounts) }

    /// Runs `story` while requests for an account get no answer.
    func whileAccountsHang(_ story: () async throws -> Void) async throws {
        gates.account.close()
        defer { gates.account.open() }
        try await story()
    }

    func say(_ status: MasterStatus?) { said.withLock { $0.status = status } }
    func turned(secondsAgo: Double?) { said.withLock { $0.silence = secondsAgo } }
    func fail(_ why: String?) { said.withLock { $0.failure = why } }

    var isRunning: Bool { said.withLock { $0.status != nil } }
    var secondsSinceTurn: Double? { said.withLock { $0.silence } }
    func status() throws -> MasterStatus? {
        hanging.withLock { _ in }
        said.withLock { $0.asked += 1 }
        gates.status.pass()
        return try said.withLock {
            if let failure = $0.failure { throw OperationError.failed(failure) }
            return $0.status
        }
    }
    func wakeUp() { trail.note("effects") }
    func withdraw(_ delivery: DeliveryID) throws -> Int? {
        said.withLock { $0.withdrawals += 1 }
        gates.child.pass()
        return nil
    }
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut { .notTaken }
    func gateway(of connector: ConnectorName) throws -> GatewayOrder {
        said.withLock { $0.accounts += 1 }
        gates.account.pass()
        return GatewayOrder()
    }
    func account(of app: App) throws -> SendingAccount {
        said.withLock { $0.accounts += 1 }
        gates.account.pass()
        throw OperationError.failed("nobody")
    }
}

extension MasterStatus {
    static func running(_ change: (inout MasterStatus) -> Void = { _ in }) -> MasterStatus {
        var status = MasterStatus(
            pid: 7, uptimeSeconds: 65, state: "running", unrecorded: 3, waitingRanges: 2, children: [],
            accounts: [])
        change(&status)
        return status
    }

    static func account(_ name: String, state: String = "working") -> AccountStatus {
        AccountStatus(
            name: name, mark: "", state: state, reason: "", secondsUntilProbe: nil, outstanding: 5,
            inFlight: 1,
            window: 500, connections: 2, ratePerSecond: 9, children: [], troubles: [])
    }
}

/// A lock that another thread may hold for a long time.
final class Hang: Sendable {
    private let lock = Mutex(())
    func withLock<Value>(_ body: (()) throws -> Value) rethrows -> Value where Value: Sendable {
        try lock.withLock { _ in try body(()) }
    }
}

/// A gate at which threads wait while it is closed.
private final class Gate: Sendable {
    private let condition = NSCondition()
    private let isClosed = Mutex(false)

    func close() { isClosed.withLock { $0 = true } }

    func open() {
        condition.lock()
        isClosed.withLock { $0 = false }
        condition.broadcast()
        condition.unlock()
    }

    func pass() {
        condition.lock()
        while isClosed.withLock(\.self) { condition.wait() }
        condition.unlock()
    }
}

/// The logged lines.
final class Said: Sendable {
    private let said = Mutex<[String]>([])
    var lines: [String] { said.withLock(\.self) }
    func add(_ line: String) { said.withLock { $0.append(line) } }
}

private struct SaidLog: LogHandler {
    let said: Said
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .notice

    init(_ said: Said) { self.said = said }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { said.add("\(event.level) \(event.message)") }
}
