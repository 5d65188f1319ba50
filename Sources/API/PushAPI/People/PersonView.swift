package import PushModel

/// A person as the API, the command line and the console show it.
package struct PersonView: View, Equatable {
    package static let about = [
        "role": "the person's role, which is a set of scopes",
        "services": "the services to which the person is restricted; empty means all services",
        "hasPassword": "false until the person has used the link and set a password",
        "lastLoginAt": "null if the person has never signed in",
    ]

    package var name: String
    package var role: Role
    package var services: [String]
    package var hasPassword: Bool
    package var createdAt: WallMoment
    package var lastLoginAt: WallMoment?
}

/// The session of a person who uses the console.
package struct SessionView: Equatable, Sendable {
    package var person: String
    package var role: Role
    package var scopes: Set<AccessScope>
    /// The services to which the person is restricted; empty means all services.
    package var services: [String]
    /// The value that every form of the session must contain.
    package var csrf: String
    package var since: WallMoment
    /// Whether the person's password was checked within the last ``confirmedMinutes`` minutes.
    package var isConfirmed: Bool

    /// For how many minutes a check of the password counts.
    package static let confirmedMinutes: Int64 = 10

    /// The name under which the person's changes are in the audit trail.
    package var caller: String { "person \(person)" }
}

/// A session that has just begun. Only this answer contains its token.
package struct NewSession: Sendable, CustomStringConvertible {
    /// The value of the session's cookie: 43 letters, digits, `-` or `_`.
    package var token: String
    package var csrf: String
    package var person: PersonView

    /// A fixed text, because secrets are never printed.
    package var description: String { "a session" }
}
