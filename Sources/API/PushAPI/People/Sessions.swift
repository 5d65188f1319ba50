internal import PushModel
internal import PushStore

/// The answer to a person who signs in or confirms a password.
package enum PasswordAnswer<Value: Sendable>: Sendable {
    case accepted(Value)
    /// The name or the password is wrong, or the person has not set a password yet. The answer does not
    /// reveal which.
    case wrong
    /// There were too many wrong passwords for this name or from this address. The answer is the same for
    /// names that no person has.
    case tooManyAttempts(retryAfterSeconds: Int)
}

/// Begins the session of a person who signs in. It takes some tenths of a second, because checking a password
/// is slow on purpose.
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

    package func perform(in operations: Operations) throws -> PasswordAnswer<NewSession> {
        let person = try PersonName(name).flatMap { try operations.store.people.find($0) }
        let attempts = operations.people.attempts
        let subjects = attempts.subjects(ofSignInAs: name, from: address)
        return try PasswordCheck(name: name, password: password, address: address, subjects: subjects)
            .perform(on: person, in: operations) { person in
                attempts.remember(name: name, address: address, at: operations.clock.monotonic())
                return try operations.beginSession(
                    of: person, from: address, checked: operations.clock.moment(), as: Self.name)
            }
    }
}

/// Looks up a session. It is fast enough for each request.
package struct CheckSession: ShortOperation {
    package static let name = "session.check"

    package var token: String
    /// Whether the person uses the session. A page that requests its content again and again does not prolong
    /// the session.
    package var isUse: Bool

    package init(token: String, isUse: Bool = true) { (self.token, self.isUse) = (token, isUse) }

    /// - Returns: `nil` if there is no such session, or if it has ended.
    package func perform(in operations: Operations) throws -> SessionView? {
        let token = PersonSecret(text: token)
        return try operations.session(token, isUse: isUse).map {
            SessionView($0.person, $0.session, token, at: operations.clock.moment())
        }
    }
}

/// Ends a session: the person signs out.
package struct EndSession: ShortOperation {
    package static let name = "session.leave"

    package var token: String

    package init(token: String) { self.token = token }

    /// - Returns: `false` if there is no such session, or if it has already ended.
    package func perform(in operations: Operations) throws -> Bool {
        let token = PersonSecret(text: token)
        guard let person = try operations.session(token)?.person else { return false }
        defer { operations.people.sessions.forget(token.digest) }
        return try operations.noting(Self.name, of: person).sessionWriter.end(token)
    }
}

/// Checks the password of a session's person again, before an admin's actions. If the password is right,
/// ``SessionView/isConfirmed`` is true for the next minutes.
package struct ConfirmPassword: ShortOperation {
    package static let name = "session.confirm"

    package var token: String
    package var password: String
    /// The address of the person's browser.
    package var address: String

    package init(token: String, password: String, address: String) {
        (self.token, self.password, self.address) = (token, password, address)
    }

    /// - Returns: `wrong` also if the session has ended.
    package func perform(in operations: Operations) throws -> PasswordAnswer<SessionView> {
        let token = PersonSecret(text: token)
        guard let known = try operations.session(token) else { return .wrong }
        let person = known.person
        return try PasswordCheck(of: person, in: token, password: password, address: address)
            .perform(on: person, in: operations) { _ in
                let now = operations.clock.moment()
                let writer = operations.noting(Self.name, of: person).sessionWriter
                defer { operations.people.sessions.forget(token.digest) }
                var session = known.session
                guard try writer.confirm(session, at: now) else { return nil }
                session.checked = now
                return SessionView(person, session, token, at: now)
            }
    }
}

/// A check of a person's password. Attempts that fail again and again must wait.
struct PasswordCheck {
    let name: String
    let password: String
    let address: String
    let subjects: [SignInAttempts.Subject]

    init(name: String, password: String, address: String, subjects: [SignInAttempts.Subject]) {
        (self.name, self.password, self.address) = (name, password, address)
        self.subjects = subjects
    }

    /// Creates the check of a person who has a session. Attempts of others to sign in do not affect it.
    init(of person: Person, in session: PersonSecret, password: String, address: String) {
        let shared = SignInAttempts.subjects(name: person.name, address: address).dropFirst()
        self.init(
            name: person.name, password: password, address: address,
            subjects: [.session(session.digest)] + shared)
    }

    /// - Parameters:
    ///   - person: `nil` if no person has the name. The check takes as long as for a person.
    ///   - accept: Carries out what needs the password. Returns `nil` if the person or the session has
    ///     changed since it was read.
    func perform<Value>(
        on person: Person?, in operations: Operations, _ accept: (Person) throws -> Value?
    ) throws -> PasswordAnswer<Value> {
        let attempts = operations.people.attempts
        let failures: Int
        switch attempts.begin(subjects, at: operations.clock.monotonic()) {
        case .mustWait(let seconds): return .tooManyAttempts(retryAfterSeconds: seconds)
        case .admitted(let count): failures = count
        }
        let isRight: Bool
        do throws(OperationError) {
            isRight = try operations.people.passwords.take {
                (person?.password ?? PasswordHash.ofNoPerson)?.matches(PersonName.normalized(password))
            }
        } catch {
            attempts.end(subjects, isRight: false)
            throw error
        }
        guard isRight, let person else {
            operations.warn(ofFailures: failures, name, address)
            return .wrong
        }
        attempts.end(subjects, isRight: true)
        return try accept(person).map(PasswordAnswer.accepted) ?? .wrong
    }
}

extension Operations {
    /// The number of milliseconds after which the use of a session is written again.
    private static let touchMilliseconds: Int64 = 60_000

    /// Returns the session with this token; `nil` if there is none or it has ended.
    func session(_ token: PersonSecret, isUse: Bool = true) throws -> SessionCache.Known? {
        guard token.text.utf8.count <= PersonSecret.maxBytes else { return nil }
        let (digest, now, read) = (token.digest, clock.moment(), clock.monotonic())
        var known: SessionCache.Known
        if let recent = people.sessions.session(digest, at: read) {
            known = recent
        } else if let found = try store.sessions.find(token, at: now) {
            known = SessionCache.Known(person: found.person, session: found.session, read: read)
            people.sessions.keep(known, as: digest)
        } else {
            people.sessions.forget(digest)
            return nil
        }
        guard known.session.ends > now else { return nil }
        let unused = now.millisecondsSince1970 - known.session.used.millisecondsSince1970
        if isUse, unused >= Self.touchMilliseconds {
            let session = known.session
            known.session.used = now
            people.sessions.keep(known, as: digest)
            // A session remains usable while the store does not accept writes.
            store.submit("prolong a session") { store throws(StoreError) in
                try store.sessionWriter.touch(session, at: now)
            } completion: { _ in
            }
        }
        return known
    }

    /// Begins a session of a person who was identified.
    /// - Parameters:
    ///   - way: How the person was identified.
    ///   - checked: The time at which the person proved to be present; `nil` if it is unknown.
    ///   - action: The name of the use case.
    /// - Returns: `nil` if the person was removed or all sessions were ended in the meantime.
    func beginSession(
        of person: Person, from address: String, by way: SignInWay = .password, checked: WallMoment?,
        as action: String
    ) throws -> NewSession? {
        let token = PersonSecret.make()
        let what = ["from \(address)", way.text].filter { !$0.isEmpty }.joined(separator: " ")
        let writer = noting(action, of: person, what).sessionWriter
        let isBegun = try writer.begin(
            token, of: person, from: address, checked: checked, at: clock.moment())
        return isBegun ? NewSession(token, person) : nil
    }

    /// Returns the store for a change that a person makes, with its line for the audit trail.
    func noting(_ action: String, of person: Person, _ what: String = "") -> Store {
        store.noting(
            AuditNote(
                who: SessionView.caller(person.name), action: action, .of(what), at: clock.moment()))
    }

    /// Writes a warning to the service's log if the number of failures has just reached a limit or doubled
    /// since the last warning.
    fileprivate func warn(ofFailures count: Int, _ name: String, _ address: String) {
        let limit = SignInAttempts.Subject.name("").maxFailures
        guard count >= limit, count % limit == 0, (count / limit).nonzeroBitCount == 1 else { return }
        let who = PersonName(name).map { "the person \($0.text)" } ?? "a name that no person can have"
        let place = address.printable(atMost: 64)
        engine.warn(
            """
            \(count) wrong passwords in succession for \(who), the last from \(place); further attempts must \
            wait
            """)
    }
}
