package import PushModel

/// Why a person or a device did or did not get a push, as the API and commands show it.
package struct PushExplanation: View, Equatable {
    package static let about = [
        "registered": "whether any device has this user key or token",
        "deviceCount": "the number of devices; `devices` contains the first ones",
        "removedDevices": "devices of the person that were removed and to which logs still refer",
        "delivery": "the delivery that was asked about; null if none was",
        "targeted":
            """
        whether the delivery has a message to any of the devices; null if no delivery was asked about, or if \
        its messages were removed
        """,
        "messages": "the newest messages to the devices, newest first",
        "findings": "what the explanation found, the most important finding first",
    ]

    package struct Delivery: View, Equatable {
        package var id: DeliveryID
        package var label: String
        package var state: DeliveryState
        package var service: String
        package var apps: [String]
        /// The target in words.
        package var target: String
        package var startedAt: WallMoment?
        package var messagesRemovedAt: WallTime?
    }

    package struct Device: View, Equatable {
        package static let about = [
            "state": "valid, or why deliveries exclude the device",
            "quarantine": "why errors count against the token; null if none do",
        ]

        package var app: String
        package var state: String
        package var createdAt: WallTime
        package var registeredAt: WallTime
        package var quarantine: SubscriberQuarantine?
    }

    package struct Message: View, Equatable {
        package static let about = [
            "meaning": "what the reason means; null if there is no reason, or if it is not known",
            "advice": "what to do; null if there is nothing to do, or if it is not known",
            "section": "the section of the documentation that explains the gateway's answer; null if none",
        ]

        package var message: MessageView
        package var meaning: String?
        package var advice: String?
        package var section: String?
    }

    package struct Finding: View, Equatable {
        package static let about = [
            "code": "the kind of finding, for programs",
            "advice": "what to do; null if there is nothing to do",
        ]

        package var code: Code
        package var finding: String
        package var advice: String?
    }

    /// The kinds of findings.
    package enum Code: String, Word, Codable, Sendable {
        case notRegistered, onlyRemovedDevices, deviceExcluded, errorsCount
        case messagesRemoved, notStarted, otherApps, registeredLater, notSelected, notAddressed, noMessages
        case paused, onHold, scheduled, accountWaits, noService, waiting
        case retrying, failed, cancelled, excluded
        case notReported, notTracked, received, clicked, rehearsal
    }

    package var registered: Bool
    package var deviceCount: Int
    package var removedDevices: Int
    package var delivery: Delivery?
    package var targeted: Bool?
    package var devices: [Device]
    package var messages: [Message]
    package var findings: [Finding]
}
