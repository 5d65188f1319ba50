internal import PushModel
internal import PushStore

/// How a person was identified when a session began.
enum SignInWay {
    case password, openID, proxy

    /// What the audit trail states; empty for a password.
    var text: String {
        switch self {
        case .password: ""
        case .openID: "with OpenID Connect"
        case .proxy: "as a proxy states"
        }
    }
}

/// Begins the session of a person whose name a trusted proxy states. The caller has checked that the proxy is
/// trusted.
package struct BeginProxySession: ShortOperation {
    package static let name = "session.begin-by-proxy"

    package var name: String
    /// The address of the person's browser.
    package var address: String

    package init(name: String, address: String) { (self.name, self.address) = (name, address) }

    /// - Returns: `nil` if no person has the name. The session is not confirmed: a proxy does not state when
    ///   the person signed in.
    package func perform(in operations: Operations) throws -> NewSession? {
        guard let person = try PersonName(name).flatMap({ try operations.store.people.find($0) }) else {
            return nil
        }
        return try operations.beginSession(
            of: person, from: address, by: .proxy, checked: nil, as: BeginSession.name)
    }
}
