internal import GatewayAPNs
internal import GatewayKit
internal import PushModel
internal import PushPayload

extension ConnectorEntry {
    static let stub = {
        var entry = ConnectorEntry(name: .stub, platforms: Platform.allCases, credentials: [.none]) {
            order, _, events in StubConnector(order, events: events)
        }
        // The stub renders the payloads that APNs would receive.
        entry.payloadLimitBytes = { content, _ in PayloadTemplate.apnsLimitBytes(of: content.ios.type) }
        return entry
    }()
}
