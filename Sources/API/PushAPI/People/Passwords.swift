internal import PushModel
internal import PushStore

/// Sets the password of the person who received a single-use link. Afterwards, the link is void and all
/// sessions of the person have ended.
/// - Throws: `absent` if the link is unknown, expired or used; `refused` if the password is not acceptable.
package struct SetPassword: ShortOperation {
    package static let name = "password.set"

    /// The value of `key` in the link.
    package var linkKey: String
    package var password: String

    package init(linkKey: String, password: String) {
        (self.linkKey, self.password) = (linkKey, password)
    }

    package func perform(in operations: Operations) throws -> PersonView {
        let (link, now) = (PersonSecret(text: linkKey), operations.clock.moment())
        guard let person = try operations.store.people.person(with: link, at: now) else {
            throw Self.voidLink
        }
        let hash = try operations.hash(of: password, for: person)
        let writer = operations.noting(Self.name, of: person).personWriter
        guard let changed = try writer.setPassword(hash, with: link, at: now) else { throw Self.voidLink }
        operations.people.sessions.forgetAll()
        return PersonView(changed)
    }

    private static let voidLink = OperationError.absent(
        "the link is unknown, has expired or was used; an admin creates a new one with "
            + "\(see: ResetPerson.self)")
}

/// Looks up the person who received a single-use link, without using the link.
package struct CheckLink: ShortOperation {
    package static let name = "password.link"

    package var linkKey: String

    package init(linkKey: String) { self.linkKey = linkKey }

    /// - Returns: `nil` if the link is unknown, has expired or was used.
    package func perform(in operations: Operations) throws -> PersonView? {
        try operations.store.people.person(
            with: PersonSecret(text: linkKey), at: operations.clock.moment()
        ).map(PersonView.init)
    }
}

/// Changes the password of a session's person, who must state the current password. All sessions of the
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

    /// - Returns: `wrong` also if the session has ended.
    package func perform(in operations: Operations) throws -> PasswordAnswer<NewSession> {
        let session = PersonSecret(text: token)
        guard let person = try operations.session(session)?.person else { return .wrong }
        try PasswordRule.check(newPassword, for: person.name)
        return try PasswordCheck(of: person, in: session, password: password, address: address)
            .perform(on: person, in: operations) { person in
                let hash = try operations.hash(of: newPassword, for: person)
                let writer = operations.noting(Self.name, of: person).personWriter
                let changed = try writer.setPassword(hash, of: person)
                operations.people.sessions.forgetAll()
                return try changed.flatMap {
                    try operations.beginSession(
                        of: $0, from: address, checked: operations.clock.moment(), as: BeginSession.name)
                }
            }
    }
}

extension Operations {
    /// Returns the form in which the store keeps a new password.
    fileprivate func hash(of password: String, for person: Person) throws(OperationError) -> PasswordHash {
        try PasswordRule.check(password, for: person.name)
        return try people.passwords.take { PasswordHash.make(PersonName.normalized(password)) }
    }
}

/// The passwords that a person can choose. The rule requires no kinds of characters, because such rules make
/// people choose passwords that are easy to guess.
package enum PasswordRule {
    package static let length = 12...128

    static func check(_ password: String, for name: String) throws(OperationError) {
        if let fault = fault(of: password, for: name) { throw .refused("the password \(fault)") }
    }

    /// Returns what is wrong with a password; `nil` if nothing is wrong. The text does not contain the
    /// password.
    package static func fault(of password: String, for name: String) -> String? {
        let password = PersonName.normalized(password)
        let count = password.unicodeScalars.count
        guard count >= length.lowerBound else { return "must have at least \(length.lowerBound) characters" }
        guard count <= length.upperBound else { return "must have at most \(length.upperBound) characters" }
        let plain = PersonName.normalized(password.lowercased())
        guard plain != PersonName.normalized(name.lowercased()) else {
            return "must not be the name of the person"
        }
        guard Set(plain.unicodeScalars).count > 2, !common.contains(plain) else {
            return "is one that many people use; choose another one, for example four unrelated words"
        }
        return nil
    }

    /// The passwords of at least 12 characters that lists of leaked passwords contain most often.
    private static let common: Set = [
        "000000000000", "012345678910", "123123123123", "1234567890123", "123456789012", "123456789abc",
        "1234567891011", "1234567890qwerty", "12345678910", "123456789987654321", "1q2w3e4r5t6y",
        "1q2w3e4r5t6y7u8i", "1qaz2wsx3edc", "1qaz2wsx3edc4rfv", "abc123abc123", "abcd12345678",
        "abcdefghijkl", "administrator", "administrator1", "adminadminadmin", "changemechangeme",
        "iloveyou1234", "iloveyouforever", "letmeinletmein", "liverpool123", "motherlover1", "mypassword123",
        "password1234", "password12345", "password123456", "password1234567", "password12345678",
        "password123456789", "passwordpassword", "passw0rd1234", "p@ssw0rd1234", "p@ssword1234",
        "pushmtapushmta", "q1w2e3r4t5y6", "q1w2e3r4t5y6u7i8", "qazwsxedcrfv", "qwerty123456",
        "qwerty1234567", "qwerty12345678", "qwertyqwerty", "qwertyuiop12", "qwertyuiop123",
        "qwertyuiop123456789", "qwertyuiopasdfghjkl", "qwertzuiop12", "qwertzuiop123", "superman1234",
        "testtesttest", "unknown12345", "welcome12345", "welcome123456", "zaq12wsxcde3", "zaq1zaq1zaq1",
    ]
}
