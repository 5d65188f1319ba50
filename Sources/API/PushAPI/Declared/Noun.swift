package import PushWire

/// The subjects of use cases. The first part of a use case's name is its noun, which is also the tag of the
/// use case's operations in the API's description.
package enum Noun: String, CaseIterable, Sendable {
    case service, app, subscribers, delivery, draft, message, template, quarantine, storm, account, webhook
    case host, token, user, session, job, feedback
    case store, audit, status, config, api

    /// The heading, in the plural.
    package var title: String {
        switch self {
        case .service: "Services"
        case .app: "Apps"
        case .subscribers: "Subscribers"
        case .delivery: "Deliveries"
        case .draft: "Drafts"
        case .message: "Messages"
        case .template: "Templates"
        case .quarantine: "Quarantine"
        case .storm: "Storms"
        case .account: "Accounts"
        case .webhook: "Webhooks"
        case .host: "Hosts"
        case .token: "Tokens"
        case .user: "People"
        case .session: "Sessions"
        case .job: "Jobs"
        case .feedback: "Feedback services"
        case .store: "Store"
        case .audit: "Audit trail"
        case .status: "Status"
        case .config: "Configuration"
        case .api: "Description"
        }
    }

    /// A description in one sentence.
    package var about: String {
        switch self {
        case .service:
            "Information services, to which deliveries are addressed. A service has apps and templates."
        case .app: "Applications, each with a platform, a connection to its gateway, and subscribers."
        case .subscribers:
            "Devices that are registered with an app, each with a token and its user's key."
        case .delivery: "Contents that are sent to multiple subscribers of a service."
        case .draft: "Delivery documents that people are still writing."
        case .message: "Contents that are sent to a single recipient."
        case .template: "Named documents for deliveries and messages, of one service or of all services."
        case .quarantine: "Subscribers that deliveries exclude because gateways rejected their tokens."
        case .storm: "Floods of rejected tokens that await a decision."
        case .account: "Accounts at gateways. Apps with the same credential share an account."
        case .webhook: "Receivers of events. Each has a URL to which its events are sent with POST."
        case .host: "Hosts that share a store on PostgreSQL."
        case .token: "Tokens that authenticate callers of the HTTP API."
        case .user: "People who use the console, each with a role."
        case .session: "Sessions of people in the console."
        case .job: "Operations that consist of many steps, with their progress and results."
        case .feedback: "Reports from APNs' old binary gateway about devices that no longer have the app."
        case .store: "The store as a whole: backups, and the removal of expired data."
        case .audit: "Changes made through the API or by commands, and who made them."
        case .status: "The running service."
        case .config: "The settings of the configuration file."
        case .api: "The description of the API."
        }
    }

    /// The name or id of this noun's object in examples; `nil` if the noun's objects have neither.
    package var example: JSONValue? {
        switch self {
        case .service: .string("neotrips")
        case .app, .storm, .account, .feedback: .string("neotrips-ios")
        case .delivery, .draft, .job: .integer(1)
        case .message: .string("f5e4d3c2-b1a0-8f9e-8d7c-6b5a49382716")
        case .template: .string("sale")
        case .webhook: .string("crm")
        case .host: .string("push1")
        case .token: .string("reporting")
        case .user, .session: .string("anna")
        case .subscribers, .quarantine, .store, .audit, .status, .config, .api: nil
        }
    }
}

extension UseCase {
    /// The noun of the use case; `nil` if it belongs to no declared noun.
    package static var noun: Noun? { Noun(rawValue: String(name.prefix { $0 != "." })) }

    /// Returns the identifier by which clients know an operation, such as `deliveryPause` for
    /// `delivery.pause`.
    package static func identifier(of operation: Operation) -> String {
        var words = name.split { $0 == "." || $0 == "-" }.map(String.init)
        if let verb = operation.verb { words = words.prefix(1) + [verb] }
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
