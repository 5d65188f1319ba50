internal import PushModel
internal import PushPayload
internal import PushWire

extension ConnectorName {
    /// Bytes of a payload that the connector's gateway takes: the one place that says it for submission. The
    /// old binary gateway takes half of what its successor does.
    func payloadLimitBytes(of content: Content) -> Int {
        switch self {
        case .ios: APNsBinaryRequest.maximumPayloadBytes
        case .androidPushConnector, .androidPushConnectorV2: PayloadTemplate.fcmLimitBytes
        default: PayloadTemplate.apnsLimitBytes(of: content.ios.type)
        }
    }
}
