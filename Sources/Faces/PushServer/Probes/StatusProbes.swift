package import Logging
internal import NIOCore
internal import NIOPosix
package import PushAPI
internal import PushConfig
internal import PushModel
internal import PushWire

/// What the web module knows of the others: of the master, of the store, each asked on a thread of its own.
final class StatusProbes: Sendable {
    /// The master; nil where none runs.
    let master: CachedProbe<MasterStatus?>
    let store: CachedProbe<StoreFigures>
    private let source: WebSource
    private let pools: [NIOThreadPool]
    /// One for each question.
    static let threads = 2

    /// - Parameter freshMilliseconds: how long the master's status is fresh.
    init(_ source: WebSource, on loop: any EventLoop, freshMilliseconds: Int64 = 500) {
        self.source = source
        let pools = (0..<Self.threads).map { _ in NIOThreadPool(numberOfThreads: 1) }
        for pool in pools { pool.start() }
        self.pools = pools
        // A master that does not answer has a second, by its own board.
        master = CachedProbe(
            on: pools[0], loop, freshMilliseconds: freshMilliseconds, patienceMilliseconds: 1_500
        ) {
            try source.operations().engine.status()
        }
        let credentials = CredentialCalendar()
        store = CachedProbe(on: pools[1], loop, freshMilliseconds: 4_000, patienceMilliseconds: 1_500) {
            try StoreFigures(source.operations(), credentials)
        }
    }

    /// Seconds since the loop of this process's master turned; nil where there is none, or not now.
    var secondsSinceTurn: Double? { source.operations().engine.secondsSinceTurn }
    var hasMaster: Bool { source.hasMaster }
    /// Why this process's own writer for devices cannot write; nil: it can, or it has none.
    var writeTrouble: String? { source.writeTrouble() }
    var product: WebSource.Product { source.product }

    /// Waits for nobody: who hangs in the store may hang on.
    func close() { for pool in pools { pool.shutdownGracefully { _ in } } }
}

/// What the web module is a client of, as the process that it runs in has it.
package struct WebSource: Sendable {
    /// The build, for whoever asks which one runs.
    package struct Product: Sendable {
        package var version: String
        package var commit: String
        package var schema: String

        package init(version: String, commit: String, schema: String) {
            self.version = version
            self.commit = commit
            self.schema = schema
        }
    }

    /// The instance, with the settings that hold now.
    package var operations: @Sendable () -> Operations
    /// Whether a master runs in this process.
    package var hasMaster: Bool
    package var product: Product
    /// Who serves devices, asked with each request; nil: nobody at present.
    package var devices: @Sendable () -> DeviceServices?
    /// Why what devices send cannot be written now, unless an alarm of the master reports it; nil: it can.
    package var writeTrouble: @Sendable () -> String?
    package var logger: Logger

    package init(
        hasMaster: Bool, product: Product, logger: Logger,
        devices: @escaping @Sendable () -> DeviceServices?,
        writeTrouble: @escaping @Sendable () -> String? = { nil },
        operations: @escaping @Sendable () -> Operations
    ) {
        self.logger = logger
        self.devices = devices
        self.writeTrouble = writeTrouble
        self.hasMaster = hasMaster
        self.product = product
        self.operations = operations
    }
}

/// An engine whose master's status is known already: operations that ask for it do not wait for the master.
struct SightedMaster: SendingEngine {
    /// An older status says nothing about the master as it is now.
    private static let maxAgeSeconds = 3.0

    private let engine: any SendingEngine
    private let sighting: CachedProbe<MasterStatus?>.ProbeResult

    init(_ engine: any SendingEngine, _ sighting: CachedProbe<MasterStatus?>.ProbeResult) {
        (self.engine, self.sighting) = (engine, sighting)
    }

    func status() throws -> MasterStatus? {
        guard let status = sighting.value, sighting.trouble == nil, sighting.ageSeconds <= Self.maxAgeSeconds
        else {
            let why =
                sighting.trouble.map { ": \($0)" } ?? " in time; try again in a moment, and look at its log"
            throw OperationError(.unavailable, "the master does not answer\(why)")
        }
        return status
    }

    var isRunning: Bool { engine.isRunning }
    var secondsSinceTurn: Double? { engine.secondsSinceTurn }
    func nudge() { engine.nudge() }
    func reopened(_ delivery: DeliveryID) { engine.reopened(delivery) }
    func pauseChanged(_ delivery: DeliveryID) { engine.pauseChanged(delivery) }
    func resumeAccount(_ mark: AccountKey, order: Int64?) throws {
        try engine.resumeAccount(mark, order: order)
    }
    func withdraw(_ delivery: DeliveryID) throws -> Int? { try engine.withdraw(delivery) }
    func maySend(_ message: MessageID) throws -> Bool? { try engine.maySend(message) }
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut {
        engine.carryOut(request, for: caller)
    }
    var mark: String { engine.mark }
    func noteOperation() { engine.noteOperation() }
    func apply(_ configuration: LoadedConfiguration) throws { try engine.apply(configuration) }
    func warn(_ line: String) { engine.warn(line) }
    func stop(withinSeconds seconds: Int?) { engine.stop(withinSeconds: seconds) }
    func gateway(of connector: ConnectorName) throws -> GatewayOrder { try engine.gateway(of: connector) }
    func account(of app: App) throws -> SendingAccount { try engine.account(of: app) }
}
