internal import PushConfig
internal import PushModel
internal import PushOperations
internal import PushWire

/// An engine whose master's status is known already: operations that ask for it do not wait for the master.
struct SightedMaster: SendingEngine {
    /// An older status says nothing about the master as it is now.
    private static let maxAgeSeconds = 3.0

    private let engine: any SendingEngine
    private let sighting: Lookout<MasterStatus?>.Sighting

    init(_ engine: any SendingEngine, _ sighting: Lookout<MasterStatus?>.Sighting) {
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
