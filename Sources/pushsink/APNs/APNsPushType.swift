/// The values of `apns-push-type`, and what each asks of its request.
///
/// Source: Apple, "Sending notification requests to APNs".
package enum APNsPushType: Int, CaseIterable, Sendable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk,
        voip, widgets

    package var name: StaticString {
        switch self {
        case .alert: "alert"
        case .background: "background"
        case .complication: "complication"
        case .controls: "controls"
        case .fileprovider: "fileprovider"
        case .liveactivity: "liveactivity"
        case .location: "location"
        case .mdm: "mdm"
        case .pushtotalk: "pushtotalk"
        case .voip: "voip"
        case .widgets: "widgets"
        }
    }

    /// What the topic has after the bundle id.
    package var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The largest payload in bytes.
    package var payloadLimit: UInt64 { self == .voip ? 5120 : 4096 }

    /// Whether the payload needs `aps`: these two have a form of their own.
    package var needsAPS: Bool { self != .mdm && self != .fileprovider }

    init?(_ bytes: Bytes) {
        // The first case is nearly every request's.
        for type in Self.allCases where bytes.equals(type.name) {
            self = type
            return
        }
        return nil
    }
}
