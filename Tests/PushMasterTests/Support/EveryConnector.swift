import PushConfig
import PushConnectors
import PushMaster

extension GatewaySettings {
    /// Of all connectors that there are.
    init(_ configuration: ServerConfiguration) throws(MasterError) {
        try self.init(configuration, connectors: ConnectorCatalogue.rows)
    }
}

extension MasterSettings {
    /// With all connectors that there are.
    init(
        _ configuration: ServerConfiguration, childOrder: ChildProcess.Order,
        patienceSeconds: Int64 = MasterSettings.patienceSeconds
    ) {
        self.init(
            configuration, connectors: ConnectorCatalogue.rows, childOrder: childOrder,
            patienceSeconds: patienceSeconds)
    }
}
