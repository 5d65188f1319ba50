import GatewayAPNs
import GatewayFCM
import PushModel
import PushPayload
import Testing

@Suite struct PayloadSizeTests {
    private static let widest = DeliveryID(rawValue: Int64(Int32.max))
    private static let token = Array(#"a"token\of:FCM"#.utf8)

    private static func counted(_ template: PayloadTemplate, seconds: Int64 = 432_000) -> Int? {
        template.rendered(
            identity: OpaqueID(high: 0, low: 0), integerID: widest.rawValue, token: token,
            secondsToLive: seconds
        ).bytes.map { template.countedBytes(of: $0.count, token: token, secondsToLive: seconds) }
    }

    @Test(arguments: MessageIDFormat.allCases)
    func `the size of a message with the widest ids equals the size that submission calculates`(
        format: MessageIDFormat
    ) throws {
        let content = Content(title: "Hello", body: "Paris \u{1F44D}")
        let apns = try PayloadTemplate.apns(
            content: content, variables: [], delivery: Self.widest, tracking: true, idFormat: format)
        #expect(Self.counted(apns) == apns.widestBytes)
        for interface in AndroidEnvelope.Interface.allCases {
            for tracking in [true, false] {
                let fcm = try PayloadTemplate.android(
                    content: content, variables: [], delivery: Self.widest, tracking: tracking,
                    idFormat: format, envelope: AndroidEnvelope(interface))
                #expect(Self.counted(fcm) == fcm.widestBytes, "\(interface) \(tracking)")
                #expect(Self.counted(fcm, seconds: 7) == fcm.widestBytes)
            }
        }
    }
}
