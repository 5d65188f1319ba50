internal import PushModel

/// Sets the password of the person who received a single-use link. Afterwards, the link is void and all
/// sessions of the person have ended.
/// - Throws: `absent` if the link is unknown, expired or used; `refused` if the password is not acceptable:
///   the only fault is that of `password`.
package struct SetPassword: ShortOperation {
    package static let name = "password.set"

    /// The value of `key` in the link.
    package var linkKey: String
    package var password: String

    package init(linkKey: String, password: String) {
        (self.linkKey, self.password) = (linkKey, password)
    }

    package func perform(in operations: Operations) throws -> PersonView {
        throw OperationError.absent("this link is unknown, expired or was used")
    }
}

/// Looks up the person who received a single-use link, without using the link.
package struct CheckLink: ShortOperation {
    package static let name = "password.link"

    package var linkKey: String

    package init(linkKey: String) { self.linkKey = linkKey }

    /// - Returns: `nil` if the link is unknown, expired or used.
    package func perform(in operations: Operations) throws -> PersonView? { nil }
}

/// Changes the password of a session's person, who must state the present password. All sessions of the
/// person end, and the answer contains a new one.
/// - Throws: `refused` if the new password is not acceptable.
package struct ChangePassword: ShortOperation {
    package static let name = "password.change"

    package var token: String
    package var password: String
    package var newPassword: String
    /// The address of the person's browser.
    package var address: String

    package init(token: String, password: String, newPassword: String, address: String) {
        (self.token, self.password) = (token, password)
        (self.newPassword, self.address) = (newPassword, address)
    }

    package func perform(in operations: Operations) throws -> PasswordAnswer<NewSession> { .wrong }
}
