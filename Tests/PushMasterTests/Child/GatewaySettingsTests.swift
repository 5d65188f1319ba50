import Foundation
import GatewayAPNs
import GatewayCustom
import GatewayFCM
import PushConfig
import PushConnectors
import PushMaster
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct GatewaySettingsTests {
    private func configuration(_ change: (inout ServerConfiguration) -> Void) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        change(&configuration)
        return configuration
    }

    @Test func `each connector has its own gateway settings`() throws {
        let settings = try GatewaySettings(
            configuration {
                $0.nmac.relay.address = "relay.example"
                $0.nmac.relay.port = 2_197
                $0.nmac.iosHTTP2.connectionsPerChild = 3
                $0.nmac.iosHTTP2.indexAuthorization = false
                $0.nmac.fcm.address = "fcm.example"
                $0.nmac.fcm.tokenAddress = "tokens.example"
                $0.nmac.fcm.tokenPort = 8_443
                $0.nmac.fcm.keepMessageIds = true
                $0.nmac.fcm.indexAuthorization = false
                $0.mta.child.maxGCMConnectPerChild = 700
                $0.mta.child.maxGCMConnectPerAccount = 500
            })
        let apns = settings.gateway(of: .iosHTTP2)
        #expect(apns.address == "relay.example" && apns.port == 2_197)
        let http2 = try APNsSettings(json: apns.settings)
        #expect(http2.connectionsPerChild == 3 && !http2.indexesAuthorization)
        for name in ["androidPushConnector", "androidPushConnectorV2"] {
            let fcm = settings.gateway(of: ConnectorName(rawValue: name))
            let own = try FCMSettings(json: fcm.settings)
            #expect(fcm.address == "fcm.example" && own.parallelRequests == 500)
            #expect(own.requestsOfChild == 700)
            #expect(own.tokenAddress == "tokens.example" && own.tokenPort == 8_443 && own.keepsMessageIDs)
            #expect(!own.indexesAuthorization)
        }
        #expect(settings.gateway(of: .stub).address == "")
    }

    @Test func `every gateway uses the configured proxy, or no proxy if none is configured`() throws {
        func proxied(_ useHTTPProxy: Bool) throws -> GatewaySettings {
            try GatewaySettings(
                configuration {
                    $0.nmac.useHTTPProxy = useHTTPProxy
                    $0.proxy.isEnabled = true
                    $0.proxy.https.address = "proxy.example"
                    $0.proxy.https.port = 3_128
                    $0.proxy.https.login = "user"
                    $0.proxy.https.password = Secret("secret")
                    $0.proxy.override = ["*.direct.example"]
                })
        }
        for name in ["iosHTTP2", "androidPushConnector", "androidPushConnectorV2"] {
            let connector = ConnectorName(rawValue: name)
            let proxy = try #require(try proxied(true).gateway(of: connector).proxy)
            #expect(proxy.host == "proxy.example" && proxy.port == 3_128)
            #expect(proxy.user == "user" && proxy.password == "secret")
            #expect("\(proxy)" == "proxy.example:3128", "a password does not print")
            #expect(try proxied(false).gateway(of: connector).proxy == nil)
        }
    }

    @Test func `a gateway on the list of direct gateways is reached directly`() throws {
        let settings = try GatewaySettings(
            configuration {
                $0.nmac.useHTTPProxy = true
                $0.proxy.isEnabled = true
                $0.proxy.https.address = "proxy.example"
                $0.proxy.https.port = 3_128
                $0.proxy.override = ["*.direct.example"]
                $0.nmac.relay.address = "apns.direct.example"
            })
        #expect(settings.gateway(of: .iosHTTP2).proxy == nil)
        #expect(settings.gateway(of: ConnectorName(rawValue: "androidPushConnectorV2")).proxy != nil)
    }

    @Test func `an unreadable file with trusted certificates is reported by name before anything starts`() {
        let wrong = configuration { $0.nmac.relay.trustedCertsChain = "/nowhere/ca.pem" }
        #expect(throws: MasterError.self) { try GatewaySettings(wrong) }
    }

    @Test func `a secret is read from the first line of a file that only its owner can read`() throws {
        try TemporaryFolder.with { folder in
            let file = "\(folder)/secret"
            func order(_ text: String, mode: mode_t = 0o600) throws -> GatewayOrder {
                try Data(text.utf8).write(to: URL(fileURLWithPath: file))
                unsafe chmod(file, mode)
                let settings = try GatewaySettings(configuration { $0.nmac.custom.secretFile = file })
                return settings.gateway(of: ConnectorName(rawValue: "custom"))
            }
            let read = try order("a secret\nand more\n")
            #expect(read.secret.bytes == Array("a secret".utf8))
            #expect(!"\(read)".contains("a secret"), "a secret does not print")
            for (text, mode) in [("", 0o600), ("\n", 0o600), ("a secret", 0o644)] as [(String, mode_t)] {
                #expect(throws: MasterError.self) { try order(text, mode: mode) }
            }
            try FileManager.default.removeItem(atPath: file)
            #expect(throws: MasterError.self) {
                try GatewaySettings(configuration { $0.nmac.custom.secretFile = file })
            }
        }
    }
}
