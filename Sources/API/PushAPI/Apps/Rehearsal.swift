package import PushModel

/// A link of the chain from a device's registration to a click on a message.
package enum RehearsalLink: String, Codable, CaseIterable, Word {
    /// The device registers with the app.
    case registration
    /// The gateway accepts a message to the device.
    case sending
    /// The device reports that it received the message.
    case receipt
    /// The device reports that its user opened the message.
    case click
}

/// The result of an app's rehearsal, or its progress.
package struct Rehearsal: View, Equatable {
    package static let about = [
        "complete": "whether every link of the chain works",
        "links": "the links of the chain, in order",
        "message": "the id of the message that was sent; null if none was",
    ]

    package enum State: String, Codable, CaseIterable, Word {
        /// An earlier link is not done.
        case notReached
        case waiting
        case done
        /// The link did not work in time.
        case missing

        package static let schemaName = "RehearsalState"
    }

    package struct Link: View, Equatable {
        package static let schemaName = "RehearsalLinkResult"
        package static let about = [
            "text": "what happened",
            "advice": "what to do about a missing link; null if the link is not missing",
            "seen": "other requests of devices that arrived during the wait",
        ]

        package var link: RehearsalLink
        package var state: State
        package var text: String
        package var advice: String?
        package var seen: [String]
    }

    package var app: String
    package var environment: PushEnvironment
    package var complete: Bool
    package var links: [Link]
    package var message: String?

    init(of app: App) {
        (self.app, environment, complete) = (app.name, app.settings.environment, false)
        links = RehearsalLink.allCases.map {
            Link(link: $0, state: .notReached, text: "", advice: nil, seen: [])
        }
    }

    package subscript(link: RehearsalLink) -> Link {
        get { links[RehearsalLink.allCases.firstIndex(of: link) ?? 0] }
        set {
            links[RehearsalLink.allCases.firstIndex(of: link) ?? 0] = newValue
            complete = links.allSatisfy { $0.state == .done }
        }
    }
}
