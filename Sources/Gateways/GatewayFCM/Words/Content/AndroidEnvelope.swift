/// How an Android message reaches its gateway: what surrounds the payload and comes from no content.
package struct AndroidEnvelope: Equatable, Sendable {
    /// Which of FCM's two interfaces the body is for; the app's credential decides.
    package enum Interface: Sendable, CaseIterable {
        /// `POST /v1/projects/…/messages:send`, with a service account.
        case httpV1
        /// `POST /fcm/send`, with a project key. Google ended it in 2024; private gateways speak it.
        case legacy

        /// By what a credential's identity shows; its contents are sealed.
        package init(identity: String) { self = identity.hasPrefix("projectkey:") ? .legacy : .httpV1 }
    }

    package var interface: Interface
    /// The gateway checks and answers, and no device gets anything. A content can ask for the same.
    package var validateOnly: Bool

    package init(_ interface: Interface = .httpV1, validateOnly: Bool = false) {
        self.interface = interface
        self.validateOnly = validateOnly
    }
}
