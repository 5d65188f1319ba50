package import PushWire

/// The subjects of use cases: the first part of their names. The noun is the tag of their operations.
package enum Noun: String, CaseIterable, Sendable {
    case service, app, subscribers, delivery, message, template, quarantine, storm, account, webhook, host,
        token, job, feedback
    case store, audit, status, config, api

    /// The heading, in the plural.
    package var title: String {
        switch self {
        case .service: "Services"
        case .app: "Apps"
        case .subscribers: "Subscribers"
        case .delivery: "Deliveries"
        case .message: "Messages"
        case .template: "Templates"
        case .quarantine: "Quarantine"
        case .storm: "Storms"
        case .account: "Accounts"
        case .webhook: "Webhooks"
        case .host: "Hosts"
        case .token: "Tokens"
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
            "Information services, which deliveries are addressed to. A service has apps and templates."
        case .app: "Applications: a platform, the connection to its gateway, and subscribers."
        case .subscribers:
            "The devices that registered with an app, each with a token and the key of its user."
        case .delivery: "Contents that are sent to many subscribers of a service."
        case .message: "Contents that are sent to one recipient."
        case .template: "Named contents of a service, which deliveries and messages can use."
        case .quarantine: "Subscribers that are not sent to, because gateways rejected their tokens."
        case .storm: "Floods of rejected tokens that wait for a decision."
        case .account: "Accounts at gateways: what apps with the same credential share."
        case .webhook: "Receivers of events, which are posted to a URL."
        case .host: "Hosts that share a store on PostgreSQL."
        case .token: "The tokens that callers of the HTTP API show."
        case .job: "Operations of many steps, with their progress and their results."
        case .feedback: "What the old binary gateway of APNs reports about devices without the app."
        case .store: "The store as a whole: backups, and what has been kept for long enough."
        case .audit: "Who changed what, over the API or by a command."
        case .status: "The running service."
        case .config: "The settings of the configuration file."
        case .api: "The description of the API."
        }
    }

    /// The name of the noun in examples; `nil` if such objects have no name.
    package var example: JSONValue? {
        switch self {
        case .service: .string("neotrips")
        case .app, .storm, .account, .feedback: .string("neotrips-ios")
        case .delivery, .job: .integer(1)
        case .message: .string("f5e4d3c2-b1a0-8f9e-8d7c-6b5a49382716")
        case .template: .string("sale")
        case .webhook: .string("crm")
        case .host: .string("push1")
        case .token: .string("reporting")
        case .subscribers, .quarantine, .store, .audit, .status, .config, .api: nil
        }
    }
}

extension UseCase {
    /// `nil` if the use case belongs to no declared noun.
    package static var noun: Noun? { Noun(rawValue: String(name.prefix { $0 != "." })) }

    /// Returns the name of an operation for clients: `deliveryPause` for `delivery.pause`.
    package static func identifier(of operation: Operation) -> String {
        var words = name.split { $0 == "." || $0 == "-" }.map(String.init)
        if let verb = operation.verb { words = words.prefix(1) + [verb] }
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
