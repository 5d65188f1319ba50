internal import PushModel

/// The answer to a person who signs in or confirms a password.
package enum PasswordAnswer<Value: Sendable>: Sendable {
    case accepted(Value)
    /// The name or the password is wrong, or the person has not set a password yet. The answer does not
    /// reveal which.
    case wrong
    /// There were too many wrong passwords for this name or from this address. The answer is the same for
    /// names that nobody has.
    case tooManyAttempts(retryAfterSeconds: Int)
}

/// Begins the session of a person who signs in. It waits for up to a few seconds, because the check of a
/// password is slow on purpose.
/// - Throws: `unavailable` if too many passwords are being checked.
package struct BeginSession: ShortOperation {
    package static let name = "session.begin"

    package var name: String
    package var password: String
    /// The address of the person's browser.
    package var address: String

    package init(name: String, password: String, address: String) {
        (self.name, self.password, self.address) = (name, password, address)
    }

    package func perform(in operations: Operations) throws -> PasswordAnswer<NewSession> { .wrong }
}

/// Looks up a session. It is fast enough for each request.
package struct CheckSession: ShortOperation {
    package static let name = "session.check"

    package var token: String

    package init(token: String) { self.token = token }

    /// - Returns: `nil` if there is no such session, or if it has ended.
    package func perform(in operations: Operations) throws -> SessionView? { nil }
}

/// Ends a session: the person signs out. Does nothing if the session has already ended.
package struct EndSession: ShortOperation {
    package static let name = "session.end"

    package var token: String

    package init(token: String) { self.token = token }

    package func perform(in operations: Operations) throws -> Bool { false }
}

/// Checks the password of a session's person again, as actions that need the scope `people` or `admin`
/// require. If the password is right, ``SessionView/isConfirmed`` is true for the next minutes.
package struct ConfirmPassword: ShortOperation {
    package static let name = "session.confirm"

    package var token: String
    package var password: String
    /// The address of the person's browser.
    package var address: String

    package init(token: String, password: String, address: String) {
        (self.token, self.password, self.address) = (token, password, address)
    }

    package func perform(in operations: Operations) throws -> PasswordAnswer<SessionView> { .wrong }
}
