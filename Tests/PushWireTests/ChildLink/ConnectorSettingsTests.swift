import GatewayAPNs
import GatewayAPNsBinary
import GatewayFCM
import PushWire
import Testing

@Suite struct ConnectorSettingsTests {
    @Test func `settings are received as they were sent`() throws {
        var apns = APNsSettings()
        (apns.connectionsPerChild, apns.requestTimeoutSeconds, apns.indexesAuthorization) = (2, 7, false)
        #expect(try APNsSettings(json: apns.json) == apns)
        var binary = APNsBinarySettings()
        (binary.feedbackAddress, binary.feedbackPort) = ("feedback.example", 2_197)
        (binary.confirmAfterSeconds, binary.unconfirmedFrames) = (7, 1_234)
        binary.maxPayloadBytes = 3_000
        #expect(try APNsBinarySettings(json: binary.json) == binary)
        var fcm = FCMSettings()
        (fcm.requestTimeoutSeconds, fcm.parallelRequests) = (9, 500)
        (fcm.tokenAddress, fcm.tokenPort, fcm.keepsMessageIDs) = ("tokens.example", 8_443, true)
        (fcm.indexesAuthorization, fcm.requestsOfChild) = (false, 700)
        #expect(try FCMSettings(json: fcm.json) == fcm)
    }

    @Test func `empty settings equal the default settings`() throws {
        #expect(try FCMSettings(json: []) == FCMSettings())
        #expect(FCMSettings().json == Array("{}".utf8))
    }

    @Test(arguments: [#"{"parallelRequests":"8"}"#, #"{"parallelRequests":-1}"#, #"{"wings":2}"#, "[]", "{"])
    func `settings for another gateway are refused, and so are damaged settings`(json: String) {
        #expect(throws: WireError.self) { try FCMSettings(json: Array(json.utf8)) }
    }
}
