internal import GatewayKit
internal import PushModel

extension ConnectorEntry {
    static let stub = ConnectorEntry(name: .stub, platforms: Platform.allCases, credentials: [.none]) {
        order, _, events in StubConnector(order, events: events)
    }
}
