internal import PushCrypto
package import PushModel

/// A person who uses the console.
package struct Person: Equatable, Sendable {
    package let id: Int64
    package var name: String
    package var role: Role
    /// The names of the services to which the person is restricted; empty means all services.
    package var services: [String]
    /// `nil` until the person has set a password.
    package var password: PasswordHash?
    package var created: WallMoment
    package var lastLogin: WallMoment?
    /// The number of the times that all sessions of the person were ended.
    package var revision: Int64

    static let columns = "id, name, role, services, password, created_ms, login_ms, revision"

    init(row: Row) throws {
        guard let role = Role(rawValue: try row["role"]) else { throw UnreadableValue() }
        let (services, password): (String, String?) = (try row["services"], try row["password"])
        let login: Int64? = try row["login_ms"]
        (id, name, self.role) = (try row["id"], try row["name"], role)
        self.services = services.split(separator: "\n").map(String.init)
        self.password = try password.map { text in
            guard let hash = PasswordHash(text: text) else { throw UnreadableValue() }
            return hash
        }
        created = WallMoment(millisecondsSince1970: try row["created_ms"])
        lastLogin = login.map(WallMoment.init(millisecondsSince1970:))
        revision = try row["revision"]
    }
}

/// A session of a person.
package struct PersonSession: Equatable, Sendable {
    package static let idleMilliseconds: Int64 = 8 * 3_600_000
    package static let maxMilliseconds: Int64 = 7 * 86_400_000

    package let id: Int64
    package var created: WallMoment
    /// The time of the last use, to within a minute.
    package var used: WallMoment
    /// The time at which the person last entered the password or signed in with a provider; 1970 if the
    /// person has done neither in this session.
    package var checked: WallMoment
    /// The time at which the session ends if it is not used again.
    package var ends: WallMoment
    package var address: String

    static let columns = "id, created_ms, used_ms, checked_ms, ends_ms, address"

    init(row: Row) throws {
        func moment(_ name: String) throws -> WallMoment {
            WallMoment(millisecondsSince1970: try row[name])
        }
        id = try row["id"]
        (created, used) = (try moment("created_ms"), try moment("used_ms"))
        (checked, ends) = (try moment("checked_ms"), try moment("ends_ms"))
        address = try row["address"]
    }

    /// Returns the time at which a session ends that is used now for the last time.
    static func end(ofSessionCreated created: WallMoment, used now: WallMoment) -> Int64 {
        min(
            now.millisecondsSince1970.clampedSum(idleMilliseconds),
            created.millisecondsSince1970.clampedSum(maxMilliseconds))
    }
}

/// A secret of a person: the identifier of a session, or the key of a link. It is 256 bits of the system's
/// randomness, so its digest reveals nothing.
package struct PersonSecret: Sendable, CustomStringConvertible {
    private static let secretBytes = 32
    /// The maximum length, in bytes, of a text that is looked up.
    package static let maxBytes = 128

    /// 43 letters, digits, `-` or `_`.
    package let text: String

    package init(text: String) { self.text = text }

    package static func make() -> PersonSecret {
        PersonSecret(text: base64URL(SecureRandom.bytes(secretBytes)))
    }

    package var digest: [UInt8] { SHA256.digest(of: Array(text.utf8)) }

    /// A value that only the owner of the secret can know, and that does not reveal the secret.
    /// - Parameter purpose: Distinguishes the value from others that are derived from the same secret.
    package func derived(for purpose: String) -> String {
        Self.base64URL(HMACSHA256.code(for: Array(purpose.utf8), using: SymmetricKey(Array(text.utf8))))
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Base64.text(of: bytes, lastLetters: "-_")
    }

    /// A fixed text, because secrets are never printed.
    package var description: String { "a secret" }
}
