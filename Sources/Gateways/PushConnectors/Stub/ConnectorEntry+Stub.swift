internal import GatewayKit
internal import PushModel
internal import PushPayload

extension ConnectorEntry {
    static let stub = {
        var entry = ConnectorEntry(name: .stub, platforms: Platform.allCases, credentials: [.none]) {
            order, _, events in StubConnector(order, events: events)
        }
        // For platforms that no connector with a gateway reaches.
        entry.template = { content, terms throws(PayloadError) in
            try PayloadTemplate.plain(
                content: content, variables: terms.app.variables, delivery: terms.delivery,
                tracking: terms.tracking, idFormat: terms.app.messageIDFormat, limitBytes: terms.limitBytes)
        }
        return entry
    }()
}
