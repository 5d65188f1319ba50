import GatewayFCM
import PushModel
import PushPayload
import PushWire
import TestContents
import Testing

/// Tests against the golden files: options that are named as unsent do not change a payload, and all other
/// options do.
@Suite struct UnsentOptionsTests {
    @Test(arguments: GoldenFile.all.filter { $0.name.hasPrefix("android-") })
    func `an Android option is either in a payload or listed as unsent`(file: GoldenFile) throws {
        let document = try file.document()
        let options = (try file.contentTree()["android"] as? [String: Any] ?? [:]).keys.filter { key in
            // Without these members, the content would be another type of message, or it would have arguments
            // without a text.
            key != "type" && !key.hasSuffix("LocArgs")
        }
        for (interface, gateway) in [
            (AndroidEnvelope.Interface.httpV1, GoldenGateway.fcmV1), (.legacy, .fcmLegacy),
        ] {
            let names = UnsentOptions.names(of: document.content, over: interface)
            let unsent = Set(names.byType + names.byInterface)
            #expect(unsent.count == names.byType.count + names.byInterface.count)
            let whole = try gateway.payload(of: document)
            for option in options where !Self.isDefault(option, in: document.content.android) {
                var without = document
                without.content.android = Self.without(option, document.content.android)
                let isSent = (try? gateway.payload(of: without)) != whole
                #expect(isSent == !unsent.contains("android.\(option)"), "\(option), \(interface)")
            }
        }
    }

    /// High priority is the default of a message.
    private static func isDefault(_ option: String, in android: AndroidContent) -> Bool {
        option == "priority" && android.priority == .high
    }

    /// Returns the content as if the document did not have the option.
    private static func without(_ option: String, _ android: AndroidContent) -> AndroidContent {
        var android = android
        let unset = AndroidContent()
        switch option {
        case "priority": android.priority = unset.priority
        case "collapseKey": android.collapseKey = nil
        case "restrictedPackageName": android.restrictedPackageName = nil
        case "validateOnly": android.validateOnly = false
        case "directBootOk": android.directBootOK = false
        case "bandwidthConstrainedOk": android.bandwidthConstrainedOK = false
        case "restrictedSatelliteOk": android.restrictedSatelliteOK = false
        case "analyticsLabel": android.analyticsLabel = nil
        case "channelId": android.channelID = nil
        case "sound": android.sound = nil
        case "color": android.color = nil
        case "icon": android.icon = nil
        case "image": android.image = nil
        case "tag": android.tag = nil
        case "clickAction": android.clickAction = nil
        case "ticker": android.ticker = nil
        case "sticky": android.sticky = false
        case "notificationCount": android.notificationCount = nil
        case "notificationPriority": android.notificationPriority = nil
        case "visibility": android.visibility = nil
        case "proxy": android.proxy = nil
        case "titleLocKey": (android.titleLocKey, android.titleLocArgs) = (nil, [])
        case "bodyLocKey": (android.bodyLocKey, android.bodyLocArgs) = (nil, [])
        case "localOnly": android.localOnly = false
        case "defaultSound": android.defaultSound = false
        case "defaultVibrateTimings": android.defaultVibrateTimings = false
        case "defaultLightSettings": android.defaultLightSettings = false
        case "eventTime": android.eventTime = nil
        case "vibrateTimings": android.vibrateTimings = []
        case "lightSettings": android.lightSettings = nil
        default: Issue.record("an option that this test does not know: \(option)")
        }
        return android
    }
}
