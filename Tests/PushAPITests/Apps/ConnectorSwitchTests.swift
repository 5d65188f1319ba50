import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

struct ConnectorSwitchTests {
    private static func change(_ update: UpdateApp, in instance: TestInstance) throws -> AppView {
        // The change is encoded as it is sent to a running master.
        let bytes = Data(try JSONValue(encoding: update).text.utf8)
        return try instance.operations.carryOut(try JSONDecoder().decode(UpdateApp.self, from: bytes)).app
    }

    private static func refusal(_ update: UpdateApp, in instance: TestInstance) -> String? {
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(update) }
        #expect(error?.kind == .refused)
        return error?.description
    }

    @Test func `an app switches from the stub to APNs, to the binary gateway, and all the way back`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let delivery = try instance.operations.carryOut(try TestInstance.submission()).id
        let before = try #require(try instance.store.catalogue.app(named: "ios"))
        let page = "http://localhost:8080/nms/jsp/iosHTTP2.jsp"
        let http = try Self.change(
            UpdateApp(
                name: "ios", bundleId: "com.example.neotrips", credential: try .key(), connector: page),
            in: instance)
        #expect(http.connector == .iosHTTP2 && http.credential == "token:DEF1234567:ABC1234567")
        let old = try Self.change(
            UpdateApp(name: "ios", credential: try .certificate(), connector: "ios"), in: instance)
        #expect(old.connector == .ios && old.credential?.hasPrefix("certificate:") == true)
        #expect(old.bundleId == "com.example.neotrips")
        // Each of these connectors can use the app's credential.
        for connector in ["iosHTTP2", "ios", "stub", "ios", "stub", "iosHTTP2"] {
            let app = try Self.change(UpdateApp(name: "ios", connector: connector), in: instance)
            #expect(app.connector.rawValue == connector && app.credential == old.credential)
        }
        let after = try #require(try instance.store.catalogue.app(named: "ios"))
        #expect(after.id == before.id)
        #expect(try instance.operations.carryOut(ShowApp(name: "ios")).subscribers == 3)
        let order = try #require(try instance.store.deliveries.delivery(delivery)).order
        #expect(order.apps == [before.id])
        #expect(try instance.store.deliveries.revision(of: before.id, in: delivery)?.bundleID == "")
    }

    @Test
    func `switching to a connector that needs another credential is refused, and the error names it`() throws
    {
        let instance = try TestInstance.withApp()
        func refusal(_ connector: String, _ credential: CredentialFile? = nil) -> String? {
            Self.refusal(UpdateApp(name: "ios", credential: credential, connector: connector), in: instance)
        }
        #expect(
            refusal("ios")
                == "connector ios needs a credential: give it in the same command, --p12 or --pem (credential type "
                + "pkcs12 or pem)")
        #expect(try refusal("iosHTTP2", .key()) == "connector iosHTTP2 needs --bundle-id")
        _ = try Self.change(
            UpdateApp(name: "ios", bundleId: "b", credential: try .key(), connector: "iosHTTP2"),
            in: instance)
        let lack = refusal("ios")
        #expect(lack?.hasPrefix("connector ios needs another credential: ") == true)
        #expect(lack?.contains("--p12 or --pem") == true && lack?.contains("--p8") == false)
        #expect(try refusal("ios", .key())?.contains("cannot use --p8") == true)
        #expect(try refusal("stub", .key())?.contains("stub does not use a credential") == true)
        #expect(refusal("androidPushConnectorV2")?.contains("reaches android, not ios") == true)
        #expect(refusal("carrierPigeon")?.contains("there is no connector") == true)
        #expect(try instance.operations.carryOut(ShowApp(name: "ios")).app.connector == .iosHTTP2)
    }

    @Test func `an Android app switches between V1, V2 and the stub with either type of credential`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        let first = try Self.change(
            UpdateApp(name: "droid", credential: try .projectKey(), connector: "androidPushConnector.js"),
            in: instance)
        #expect(first.connector == .androidPushConnector && first.bundleId == nil)
        for connector in ["androidPushConnectorV2", "stub", "androidPushConnector", "androidPushConnectorV2"]
        {
            let app = try Self.change(UpdateApp(name: "droid", connector: connector), in: instance)
            #expect(app.connector.rawValue == connector && app.credential == first.credential)
        }
    }

    @Test
    func `switching to a connector that cannot send a delivery in progress is refused until it has ended`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try Self.change(
            UpdateApp(name: "ios", bundleId: "b", credential: try .certificate(), connector: "iosHTTP2"),
            in: instance)
        let long = String(repeating: "x", count: 3_000)
        for content in [["ios": ["type": "voip"]], ["title": long]] as [[String: any Sendable]] {
            let id = try instance.operations.carryOut(
                try TestInstance.submission(["content": content])
            ).id
            let text = Self.refusal(UpdateApp(name: "ios", connector: "ios"), in: instance)
            #expect(text?.hasPrefix("delivery \(id) is in progress, and app ios could not send it") == true)
            #expect(text?.contains("'pushmta delivery stop \(id)'") == true, "\(text ?? "")")
            // Another connector that could send the delivery is accepted.
            _ = try Self.change(UpdateApp(name: "ios", connector: "stub"), in: instance)
            _ = try Self.change(UpdateApp(name: "ios", connector: "iosHTTP2"), in: instance)
            _ = try instance.operations.carryOut(StopDelivery(id: id))
            let app = try Self.change(UpdateApp(name: "ios", connector: "ios"), in: instance)
            #expect(app.connector == .ios)
            _ = try Self.change(UpdateApp(name: "ios", connector: "iosHTTP2"), in: instance)
        }
    }

    @Test
    func `a switch causes no warning for deliveries whose topic stays the same, but a new topic causes one`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(try TestInstance.submission())
        let first = try instance.operations.carryOut(
            UpdateApp(name: "ios", bundleId: "b", credential: try .key(), connector: "iosHTTP2"))
        #expect(first.warnings.isEmpty)
        _ = try instance.operations.carryOut(try TestInstance.submission())
        let second = try instance.operations.carryOut(
            UpdateApp(name: "ios", bundleId: "c", connector: "stub"))
        #expect(second.warnings.count == 1 && second.warnings[0].contains("liveDeliveries"))
    }
}
