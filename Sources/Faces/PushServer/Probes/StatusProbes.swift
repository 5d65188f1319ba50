package import Logging
internal import NIOCore
internal import NIOPosix
package import PushAPI
internal import PushConfig
internal import PushModel
internal import PushWire

/// The web module's information about the master and the store. The master and the store are queried on
/// separate threads.
final class StatusProbes: Sendable {
    /// The status of the master; `nil` if no master is running.
    let master: CachedProbe<MasterStatus?>
    let store: CachedProbe<StoreFigures>
    private let source: WebSource
    private let pools: [NIOThreadPool]
    /// One thread for each query.
    static let threads = 2

    /// - Parameter freshMilliseconds: The time for which the master's status is fresh.
    init(_ source: WebSource, on loop: any EventLoop, freshMilliseconds: Int64 = 500) {
        self.source = source
        let pools = (0..<Self.threads).map { _ in NIOThreadPool(numberOfThreads: 1) }
        for pool in pools { pool.start() }
        self.pools = pools
        // If the master does not answer, its status board ends the wait after one second.
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

    /// The seconds since the loop of this process's master last ran; `nil` if there is no master or the value
    /// is currently unavailable.
    var secondsSinceTurn: Double? { source.operations().engine.secondsSinceTurn }
    var hasMaster: Bool { source.hasMaster }
    /// The reason why this process's own writer cannot write the data that devices send; `nil` if it can
    /// write or if there is no such writer.
    var writeFailure: String? { source.writeFailure() }
    var product: WebSource.Product { source.product }

    /// Closes the pools without waiting for their threads, because a thread may hang in the store.
    func close() { for pool in pools { pool.shutdownGracefully { _ in } } }
}

/// The services that the web module uses, provided by the process in which it runs.
package struct WebSource: Sendable {
    /// The identity of the build, for clients that ask which build is running.
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

    /// The instance, with the current settings.
    package var operations: @Sendable () -> Operations
    /// Whether a master is running in this process.
    package var hasMaster: Bool
    package var product: Product
    /// Returns the services for devices; `nil` if there are currently none. It is called for each request.
    package var devices: @Sendable () -> DeviceServices?
    /// Returns the reason why data from devices cannot be written now; `nil` if it can be written, or if an
    /// alarm of the master already reports the reason.
    package var writeFailure: @Sendable () -> String?
    package var logger: Logger

    package init(
        hasMaster: Bool, product: Product, logger: Logger,
        devices: @escaping @Sendable () -> DeviceServices?,
        writeFailure: @escaping @Sendable () -> String? = { nil },
        operations: @escaping @Sendable () -> Operations
    ) {
        self.logger = logger
        self.devices = devices
        self.writeFailure = writeFailure
        self.hasMaster = hasMaster
        self.product = product
        self.operations = operations
    }
}

/// An engine whose master's status is already known. Operations that request the status do not wait for the
/// master.
struct CachedStatusEngine: SendingEngine {
    /// The maximum age of a usable status. An older status does not describe the current state of the master.
    private static let maxAgeSeconds = 3.0

    private let engine: any SendingEngine
    private let probe: CachedProbe<MasterStatus?>.ProbeResult

    init(_ engine: any SendingEngine, _ probe: CachedProbe<MasterStatus?>.ProbeResult) {
        (self.engine, self.probe) = (engine, probe)
    }

    func status() throws -> MasterStatus? {
        guard let status = probe.value, probe.failure == nil, probe.ageSeconds <= Self.maxAgeSeconds
        else {
            let why =
                probe.failure.map { ": \($0); check its log, or restart it" }
                ?? " in time; try again in a moment, and check its log"
            throw OperationError(.unavailable, "the master does not answer\(why)")
        }
        return status
    }

    var isRunning: Bool { engine.isRunning }
    var secondsSinceTurn: Double? { engine.secondsSinceTurn }
    func wakeUp() { engine.wakeUp() }
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
