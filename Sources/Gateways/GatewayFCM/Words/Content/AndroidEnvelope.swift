/// The envelope of an Android message: everything around the payload that does not come from a content.
package struct AndroidEnvelope: Equatable, Sendable {
    /// The FCM interface for which the body is created. The app's credential determines the interface.
    package enum Interface: Sendable, CaseIterable {
        /// `POST /v1/projects/…/messages:send`, with a service account.
        case httpV1
        /// `POST /fcm/send`, with a project key. Google discontinued it in 2024; private gateways still
        /// support it.
        case legacy

        /// Derives the interface from the credential's identity, because the credential itself is sealed.
        package init(identity: String) { self = identity.hasPrefix("projectkey:") ? .legacy : .httpV1 }
    }

    package var interface: Interface
    /// Whether the gateway only checks the message and answers, without delivery to a device. A content can
    /// request the same.
    package var validateOnly: Bool

    package init(_ interface: Interface = .httpV1, validateOnly: Bool = false) {
        self.interface = interface
        self.validateOnly = validateOnly
    }
}
