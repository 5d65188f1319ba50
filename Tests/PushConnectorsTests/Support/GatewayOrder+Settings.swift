import PushWire

extension GatewayOrder {
    /// Changes the gateway's own settings.
    mutating func change<Settings: ConnectorSettings>(
        _ type: Settings.Type, _ change: (inout Settings) -> Void
    ) throws {
        var own = try Settings(json: settings)
        change(&own)
        settings = own.json
    }
}
