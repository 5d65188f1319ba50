import PushWire

extension GatewayOrder {
    /// Changes what the gateway's own settings say.
    mutating func change<Settings: ConnectorSettings>(
        _ type: Settings.Type, _ change: (inout Settings) -> Void
    ) throws {
        var own = try Settings(json: settings)
        change(&own)
        settings = own.json
    }
}
