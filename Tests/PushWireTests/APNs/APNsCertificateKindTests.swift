import GatewayAPNs
import PushModel
import PushWire
import Testing

struct APNsCertificateKindTests {
    @Test(
        arguments: [
            ("Apple Push Services: com.example.shop", .push),
            ("Apple Sandbox Push Services: com.example.shop", .pushInSandbox),
            ("Apple Development IOS Push Services: com.example.shop", .pushInSandbox),
            ("Apple Production IOS Push Services: com.example.shop", .pushInProduction),
            ("VoIP Services: com.example.shop", .voip),
            ("WatchKit Services: com.example.shop", .complication),
            ("Pass Type ID: pass.com.example", .other(purpose: "passes in Wallet")),
            ("Website Push ID: web.com.example", .other(purpose: "websites in Safari")),
            ("Apple Distribution: Example (ABCDE12345)", .other(purpose: "signing apps")),
            ("iPhone Developer: A Name (ABCDE12345)", .other(purpose: "signing apps")),
            ("com.example.shop", nil),
            ("Apple Push Services", nil), ("", nil),
        ] as [(String, APNsCertificateKind?)])
    func `the common name of an Apple certificate determines the type of the certificate`(
        name: String, kind: APNsCertificateKind?
    ) {
        #expect(APNsCertificateKind(commonName: name) == kind)
    }

    @Test func `the suffix that a topic gets later is removed from the UID only once`() {
        #expect(APNsCertificateKind.voip.bundleID(userID: "com.example.shop.voip") == "com.example.shop")
        #expect(APNsCertificateKind.voip.bundleID(userID: "com.example.voip.voip") == "com.example.voip")
        #expect(APNsCertificateKind.voip.bundleID(userID: "com.example.shop") == "com.example.shop")
        #expect(APNsCertificateKind.push.bundleID(userID: "com.example.voip") == "com.example.voip")
        #expect(
            APNsCertificateKind.complication.bundleID(userID: "com.example.shop.complication")
                == "com.example.shop")
    }

    @Test func `some certificates serve only one environment`() {
        #expect(APNsCertificateKind.pushInSandbox.environment == .sandbox)
        #expect(APNsCertificateKind.pushInProduction.environment == .production)
        #expect(APNsCertificateKind.push.environment == nil && APNsCertificateKind.voip.environment == nil)
    }
}
