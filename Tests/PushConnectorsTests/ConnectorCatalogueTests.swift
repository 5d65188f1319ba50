import GatewayKit
import PushConnectors
import PushModel
import PushTransport
import PushWire
import TestSupport
import Testing

@Suite struct ConnectorCatalogueTests {
    @Test(arguments: [
        ("iosHTTP2", ConnectorName.iosHTTP2), ("stub", .stub), ("iosHTTP2.jsp", .iosHTTP2), ("ios", .ios),
        ("ios.jsp", .ios), ("http://localhost:8080/nms/jsp/ios.jsp", .ios),
        ("/nms/jsp/iosHTTP2.jsp", .iosHTTP2), ("https://localhost:8080/nms/jsp/iosHTTP2.jsp", .iosHTTP2),
        ("http://marketing.example.com/nms/jsp/iosHTTP2.jsp", .iosHTTP2),
        ("androidPushConnector", .androidPushConnector), ("androidPushConnectorV2", .androidPushConnectorV2),
        ("http://localhost:8080/nms/jsp/androidPushConnector.js", .androidPushConnector),
        ("http://localhost:8080/nms/jsp/androidPushConnectorV2.js", .androidPushConnectorV2),
    ])
    func `a connector is found by its own name or by its name on the Campaign page`(
        text: String, name: ConnectorName
    ) {
        #expect(ConnectorCatalogue.resolve(text) == name)
    }

    @Test(arguments: [
        "", "/", "IOS", "IOSHTTP2", "iosHTTP2.jsp/other", "https://localhost:8080/nms/jsp/", "stub.jsp",
        "pigeon",
    ])
    func `an unknown connector name yields no connector`(text: String) {
        #expect(ConnectorCatalogue.resolve(text) == nil)
    }

    @Test func `names are unique, and each connector has a platform and lists its accepted credentials`() {
        #expect(Set(ConnectorCatalogue.names).count == ConnectorCatalogue.entries.count)
        for entry in ConnectorCatalogue.entries {
            #expect(!entry.platforms.isEmpty)
            #expect(!entry.credentials.isEmpty)
            #expect(ConnectorCatalogue.credentialKinds(for: entry.name) == entry.credentials)
        }
        #expect(ConnectorCatalogue.credentialKinds(for: ConnectorName(rawValue: "pigeon")).isEmpty)
    }

    @Test func `a connector that does not exist is refused by its name`() throws {
        let order = AccountOrder(
            account: 1, connector: ConnectorName(rawValue: "pigeon"), environment: .production,
            credential: OpaqueCredential(bytes: []), gateway: GatewayOrder())
        let error = #expect(throws: ConnectorError.self) { _ = try Sender(order, messages: 1) }
        #expect(error?.description.contains("pigeon") == true)
    }
}
