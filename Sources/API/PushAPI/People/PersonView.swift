package import PushModel
internal import PushStore

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

    init(_ person: Person) {
        (name, role, services) = (person.name, person.role, person.services)
        (hasPassword, createdAt) = (person.password != nil, person.created)
        lastLoginAt = person.lastLogin
    }
}

/// A person, and the link with which the person sets a password. Only this answer contains the link.
package struct PersonLinkView: View {
    package static let about = [
        "link": "the path of a page of the console where the person sets a password, once",
        "expiresAt": "the time until which the link is valid",
    ]
    /// The path of the page, whose query has the key.
    package static let path = "/console/welcome"

    package var person: PersonView
    package var link: String
    package var expiresAt: WallMoment

    init(_ person: Person, _ key: PersonSecret, at now: WallMoment) {
        self.person = PersonView(person)
        link = "\(Self.path)?key=\(key.text)"
        expiresAt = WallMoment(
            millisecondsSince1970: now.millisecondsSince1970 + PersonWriter.linkMilliseconds)
    }
}

/// A session of a person as the API and the command line show it: without its secret.
package struct PersonSessionView: View, Equatable {
    package static let about = [
        "id": "the number by which the session is ended",
        "lastUsedAt": "the time of the last request, to within a minute",
        "endsAt": "the time at which the session ends if it is not used again",
        "address": "the address from which the person signed in",
    ]

    package var id: Int64
    package var createdAt: WallMoment
    package var lastUsedAt: WallMoment
    package var endsAt: WallMoment
    package var address: String

    init(_ session: PersonSession) {
        (id, createdAt, lastUsedAt) = (session.id, session.created, session.used)
        (endsAt, address) = (session.ends, session.address)
    }
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
    /// Whether the person entered the password, or signed in with a provider, within the last
    /// ``confirmedMinutes`` minutes.
    package var isConfirmed: Bool
    /// Whether the person has a password. A person who signs in otherwise may have none.
    package var hasPassword: Bool

    /// For how many minutes a proof that the person is present counts.
    package static let confirmedMinutes: Int64 = 10

    /// The name under which the person's changes are in the audit trail.
    package var caller: String { Self.caller(person) }

    static func caller(_ person: String) -> String { "person \(person)" }

    init(_ person: Person, _ session: PersonSession, _ token: PersonSecret, at now: WallMoment) {
        (self.person, role, scopes) = (person.name, person.role, person.role.scopes)
        (services, since, csrf) = (person.services, session.created, token.csrf)
        hasPassword = person.password != nil
        let confirmed = Self.confirmedMinutes * 60_000
        isConfirmed = now.millisecondsSince1970 - session.checked.millisecondsSince1970 < confirmed
    }
}

extension Operations {
    /// Returns the operations of the person to whom a session belongs: with the person's scopes, and bound to
    /// the person's services. A person whose services have all been deleted can do nothing.
    package func acting(for session: SessionView) throws(OperationError) -> Operations {
        guard !session.services.isEmpty else {
            return with(caller: session.caller, scopes: session.scopes)
        }
        do throws(StoreError) {
            let services = try store.catalogue.services().filter { session.services.contains($0.name) }
            return with(
                caller: session.caller, scopes: session.scopes,
                bounds: ServiceBounds(Set(services.map(\.id))))
        } catch {
            throw OperationError(error)
        }
    }
}

/// A session that has just begun. Only this answer contains its token.
package struct NewSession: Sendable, CustomStringConvertible {
    /// The value of the session's cookie: 43 letters, digits, `-` or `_`.
    package var token: String
    package var csrf: String
    package var person: PersonView

    init(_ token: PersonSecret, _ person: Person) {
        (self.token, csrf, self.person) = (token.text, token.csrf, PersonView(person))
    }

    /// A fixed text, because secrets are never printed.
    package var description: String { "a session" }
}

extension PersonSecret {
    /// The value that every form of the session with this token must contain. The store need not keep it.
    fileprivate var csrf: String { derived(for: "csrf") }
}
