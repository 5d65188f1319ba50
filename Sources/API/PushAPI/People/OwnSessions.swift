internal import PushModel
internal import PushStore

/// Lists the sessions of a session's person. All people may see their own sessions.
package struct ListOwnSessions: ShortOperation {
    package static let name = "session.own"

    package var token: String

    package init(token: String) { self.token = token }

    /// - Returns: `nil` if the session has ended.
    package func perform(in operations: Operations) throws -> OwnSessions? {
        guard let own = try operations.session(PersonSecret(text: token)) else { return nil }
        let sessions = try operations.store.sessions.list(of: own.person, at: operations.clock.moment())
        return OwnSessions(present: own.session.id, sessions: sessions.map(PersonSessionView.init))
    }
}

/// The sessions of a person.
package struct OwnSessions: Equatable, Sendable {
    /// The id of the session that asks.
    package var present: Int64
    package var sessions: [PersonSessionView]
}

/// Ends all sessions of a session's person except that session. Another host accepts them for up to one more
/// second.
package struct EndOtherSessions: ShortOperation {
    package static let name = "session.end-others"

    package var token: String

    package init(token: String) { self.token = token }

    /// - Returns: The number of the sessions that were ended.
    package func perform(in operations: Operations) throws -> Int {
        guard let own = try operations.session(PersonSecret(text: token)) else { return 0 }
        let sessions = try operations.store.sessions.list(of: own.person, at: operations.clock.moment())
        let writer = operations.noting(Self.name, of: own.person).sessionWriter
        defer { operations.people.sessions.forgetAll() }
        return try sessions.filter { $0.id != own.session.id }
            .reduce(0) { try $0 + writer.end(of: own.person, id: $1.id) }
    }
}
