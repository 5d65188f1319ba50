package import PushModel

/// Lists people, and finds a person by name or by link.
package struct PersonReader: Sendable {
    let connection: Connection

    /// Returns all people, sorted by name. There are at most ``PersonWriter/maxPeople``.
    package func list() throws(StoreError) -> [Person] {
        try connection.read("list people") { db in
            try db.rows(
                sql: "SELECT \(Person.columns) FROM person ORDER BY name_key LIMIT ?1",
                arguments: [PersonWriter.maxPeople]
            ).map { try Person(row: $0) }
        }
    }

    /// Returns a person; `nil` if nobody has this name.
    package func find(_ name: PersonName) throws(StoreError) -> Person? {
        try connection.read("look for a person") { db in try Person.find(name, db) }
    }

    /// Reports whether there is any person.
    package func isAny() throws(StoreError) -> Bool {
        try connection.read("look for people") { db in
            try db.value(Int64.self, sql: "SELECT 1 FROM person LIMIT 1") != nil
        }
    }

    /// Returns the person who received a link; `nil` if there is no such link or it has expired.
    package func person(with link: PersonSecret, at now: WallMoment) throws(StoreError) -> Person? {
        guard link.text.utf8.count <= PersonSecret.maxBytes else { return nil }
        return try connection.read("check a link") { db in try Person.find(link, at: now, db) }
    }
}

/// Creates, changes and removes people. A refusal changes nothing.
package struct PersonWriter: Sendable {
    package static let maxPeople = 1_000
    /// How long a link is valid.
    package static let linkMilliseconds: Int64 = 24 * 3_600_000

    let connection: Connection

    /// The result of a change that may concern the last admin.
    package enum Result: Sendable {
        case done(Person)
        /// Nothing was changed, because nobody else has the role `admin`.
        case lastAdmin
    }

    /// Creates a person without a password, and a link to set it. Refuses a name that another person has, and
    /// more than ``maxPeople``.
    package func create(
        _ name: PersonName, _ role: Role, services: [String], link: PersonSecret, at now: WallMoment
    ) throws(StoreError) -> Person {
        try connection.write("create a person") { db in
            guard try Person.find(name, db) == nil else {
                throw error(.duplicate(.person, name: name.text))
            }
            guard try db.value(Int.self, sql: "SELECT count(*) FROM person") ?? 0 < Self.maxPeople else {
                throw error(
                    .limitReached(what: "there are already \(Self.maxPeople) people; remove some of them"))
            }
            let id = try db.insert(
                """
                INSERT INTO person (name, name_key, role, services, created_ms, revision)
                VALUES (?1, ?2, ?3, ?4, ?5, 0)
                """,
                [
                    name.text, name.key, role.rawValue, Self.text(of: services), now.millisecondsSince1970,
                ])
            try Self.setLink(link, of: id, at: now, db)
            return try found(name, db)
        }
    }

    /// Sets a person's role and services. The sessions of the person continue with the new role.
    /// - Parameter isForced: Whether the last admin can lose the role.
    package func setRole(
        of name: PersonName, _ role: Role, services: [String], isForced: Bool
    ) throws(StoreError) -> Result {
        try connection.write("change a person's role") { db in
            let person = try found(name, db)
            if !isForced, role != .admin, try Self.isLastAdmin(person, db) { return .lastAdmin }
            try db.execute(
                sql: "UPDATE person SET role = ?2, services = ?3 WHERE id = ?1",
                arguments: [person.id, role.rawValue, Self.text(of: services)])
            return .done(try found(name, db))
        }
    }

    /// Deletes a person's password, ends all sessions, and creates a link to set a new password. The former
    /// link is void.
    package func reset(
        _ name: PersonName, link: PersonSecret, at now: WallMoment
    ) throws(StoreError) -> Person {
        try connection.write("reset a person's password") { db in
            let person = try found(name, db)
            try Self.setPassword(nil, of: person.id, db)
            try Self.setLink(link, of: person.id, at: now, db)
            return try found(name, db)
        }
    }

    /// Removes a person and ends all sessions.
    /// - Parameter isForced: Whether the last admin can be removed.
    package func remove(_ name: PersonName, isForced: Bool) throws(StoreError) -> Result {
        try connection.write("remove a person") { db in
            let person = try found(name, db)
            if !isForced, try Self.isLastAdmin(person, db) { return .lastAdmin }
            for table in ["session", "person_link"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE person_id = ?1", arguments: [person.id])
            }
            try db.execute(sql: "DELETE FROM person WHERE id = ?1", arguments: [person.id])
            return .done(person)
        }
    }

    /// Sets the password of the person who received a link. The link is then void, and all sessions of the
    /// person have ended.
    /// - Returns: `nil` if there is no such link or it has expired.
    package func setPassword(
        _ password: PasswordHash, with link: PersonSecret, at now: WallMoment
    ) throws(StoreError) -> Person? {
        try connection.write("set a password") { db in
            guard let person = try Person.find(link, at: now, db) else { return nil }
            try Self.setPassword(password, of: person.id, db)
            return try Person.find(id: person.id, db)
        }
    }

    /// Sets a person's password. All sessions of the person have ended then.
    /// - Returns: `nil` if the person was removed or all sessions were ended since the person was read.
    package func setPassword(_ password: PasswordHash, of person: Person) throws(StoreError) -> Person? {
        try connection.write("change a password") { db in
            guard try Person.find(id: person.id, db)?.revision == person.revision else { return nil }
            try Self.setPassword(password, of: person.id, db)
            return try Person.find(id: person.id, db)
        }
    }

    private static func setPassword(_ password: PasswordHash?, of id: Int64, _ db: any Session) throws {
        try db.execute(
            sql: "UPDATE person SET password = ?2, revision = revision + 1 WHERE id = ?1",
            arguments: [id, password?.text])
        for table in ["session", "person_link"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE person_id = ?1", arguments: [id])
        }
    }

    private static func setLink(
        _ link: PersonSecret, of id: Int64, at now: WallMoment, _ db: any Session
    ) throws {
        let expires = now.millisecondsSince1970.clampedSum(linkMilliseconds)
        try db.execute(
            sql: "INSERT INTO person_link (person_id, digest, expires_ms) VALUES (?1, ?2, ?3)",
            arguments: [id, link.digest, expires])
    }

    private static func isLastAdmin(_ person: Person, _ db: any Session) throws -> Bool {
        guard person.role == .admin else { return false }
        return try db.value(
            Int64.self, sql: "SELECT 1 FROM person WHERE role = ?1 AND id <> ?2 LIMIT 1",
            arguments: [Role.admin.rawValue, person.id]) == nil
    }

    private static func text(of services: [String]) -> String { services.joined(separator: "\n") }

    private func found(_ name: PersonName, _ db: any Session) throws -> Person {
        guard let person = try Person.find(name, db) else {
            throw error(.unknown(.person, name: name.text))
        }
        return person
    }

    private func error(_ cause: StoreError.Cause) -> StoreError { StoreError(cause, path: connection.path) }
}

extension Person {
    fileprivate static func find(_ name: PersonName, _ db: any Session) throws -> Person? {
        try db.row(
            sql: "SELECT \(columns) FROM person WHERE name_key = ?1", arguments: [name.key]
        ).map { try Person(row: $0) }
    }

    static func find(id: Int64, _ db: any Session) throws -> Person? {
        try db.row(sql: "SELECT \(columns) FROM person WHERE id = ?1", arguments: [id]).map {
            try Person(row: $0)
        }
    }

    fileprivate static func find(
        _ link: PersonSecret, at now: WallMoment, _ db: any Session
    ) throws -> Person? {
        let id = try db.value(
            Int64.self, sql: "SELECT person_id FROM person_link WHERE digest = ?1 AND expires_ms > ?2",
            arguments: [link.digest, now.millisecondsSince1970])
        return try id.flatMap { try find(id: $0, db) }
    }
}
