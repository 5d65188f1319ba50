import PushConfig
import PushConnectors
import PushMaster

extension GatewaySettings {
    /// Creates the settings for all connectors.
    init(_ configuration: ServerConfiguration) throws(MasterError) {
        try self.init(configuration, connectors: ConnectorCatalogue.rows)
    }
}

extension MasterSettings {
    /// Creates the settings with all connectors.
    init(
        _ configuration: ServerConfiguration, childOrder: ChildProcess.Order,
        patienceSeconds: Int64 = MasterSettings.patienceSeconds
    ) {
        self.init(
            configuration, connectors: ConnectorCatalogue.rows, childOrder: childOrder,
            patienceSeconds: patienceSeconds)
    }
}
