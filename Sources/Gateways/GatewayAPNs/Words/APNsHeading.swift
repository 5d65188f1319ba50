internal import PushModel
internal import PushWire

/// The part of a content that is sent to APNs outside of the payload, in header fields.
package struct APNsHeading: Equatable, Sendable {
    package let pushType: APNsPushType
    package let priority: APNsPriority
    package let collapseID: String?

    package init(_ ios: IOSContent) {
        pushType = APNsPushType(ios.type)
        priority = ios.priorityThatHolds
        collapseID = ios.collapseID
    }

    /// `apns-topic`: the bundle id with the push type's suffix.
    package func topic(of bundleID: String) -> String { bundleID + pushType.topicSuffix }
}

/// `apns-push-type`: how the system handles the notification (Apple, "Sending notification requests to
/// APNs").
package enum APNsPushType: String, Sendable, CaseIterable {
    case alert, background, voip, complication, fileprovider, location, pushtotalk, controls, widgets

    package init(_ kind: IOSContent.Kind) {
        self =
            switch kind {
            case .alert: .alert
            case .silent: .background
            case .voip: .voip
            case .complication: .complication
            case .fileprovider: .fileprovider
            case .location: .location
            case .pushtotalk: .pushtotalk
            case .controls: .controls
            case .widgets: .widgets
            }
    }

    /// The part of the topic that follows the bundle id.
    package var topicSuffix: String {
        switch self {
        case .alert, .background: ""
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .controls: ".push-type.controls"
        case .widgets: ".push-type.widgets"
        }
    }
}
