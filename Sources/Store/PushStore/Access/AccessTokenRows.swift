package import PushModel

/// Lists the tokens, and identifies a given token.
package struct AccessTokenReader: Sendable {
    let connection: Connection

    /// Returns the tokens sorted by name, with revoked tokens last.
    package func list() throws(StoreError) -> [AccessGrant] {
        try connection.read("list tokens") { db in
            try db.rows(
                sql: """
                    SELECT name, scopes, services, created_ms, revoked_ms FROM access_token
                    ORDER BY revoked_ms IS NOT NULL, name, id
                    """
            ).map { try AccessGrant(row: $0) }
        }
    }

    /// Returns the grant of this token; `nil` if the text is not a token or the token has been revoked. The
    /// response time reveals nothing about valid tokens, because the look-up compares digests.
    package func grant(of token: AccessToken) throws(StoreError) -> AccessGrant? {
        guard token.text.utf8.count <= AccessToken.maxBytes else { return nil }
        return try connection.read("check a token") { db in
            for digest in [token.digest, token.digestOfBound] {
                if let row = try db.row(sql: HotSQL.grantOfToken, arguments: [digest]) {
                    return try AccessGrant(row: row)
                }
            }
            return nil
        }
    }

    /// Reports whether any token was ever created, including tokens that have been revoked since.
    package func isAny() throws(StoreError) -> Bool {
        try connection.read("look for tokens") { db in
            try db.value(Int64.self, sql: "SELECT 1 FROM access_token LIMIT 1") != nil
        }
    }
}

/// Creates and revokes tokens.
package struct AccessTokenWriter: Sendable {
    let connection: Connection

    /// Creates a token. Refuses a second valid token with the same name.
    /// - Parameter bounds: The services to which the token is bound.
    package func create(
        _ token: AccessToken, name: String, scopes: Set<AccessScope>, bounds: ServiceBounds = .unbound,
        at now: WallMoment
    ) throws(StoreError) -> AccessGrant {
        try connection.write("create a token") { db in
            let present = try db.value(
                Int64.self, sql: "SELECT id FROM access_token WHERE name = ?1 AND revoked_ms IS NULL",
                arguments: [name])
            guard present == nil else {
                throw StoreError(.duplicate(.token, name: name), path: connection.path)
            }
            _ = try db.insert(
                """
                INSERT INTO access_token (name, digest, scopes, services, created_ms)
                VALUES (?1, ?2, ?3, ?4, ?5)
                """,
                [
                    name, bounds.areSet ? token.digestOfBound : token.digest, AccessGrant.text(of: scopes),
                    AccessGrant.text(of: bounds), now.millisecondsSince1970,
                ])
            return AccessGrant(name: name, scopes: scopes, bounds: bounds, created: now)
        }
    }

    /// Revokes the token with this name. Refuses a name that no valid token has.
    package func revoke(named name: String, at now: WallMoment) throws(StoreError) {
        try connection.write("revoke a token") { db in
            let changed = try db.execute(
                sql: "UPDATE access_token SET revoked_ms = ?2 WHERE name = ?1 AND revoked_ms IS NULL",
                arguments: [name, now.millisecondsSince1970])
            guard changed > 0 else {
                throw StoreError(.unknown(.token, name: name), path: connection.path)
            }
        }
    }
}

extension AccessGrant {
    fileprivate init(row: Row) throws {
        let words: String = try row["scopes"]
        let scopes = try words.split(separator: " ").map { word in
            guard let scope = AccessScope(rawValue: String(word)) else { throw UnreadableValue() }
            return scope
        }
        let revoked: Int64? = try row["revoked_ms"]
        self.init(
            name: try row["name"], scopes: Set(scopes), bounds: try Self.bounds(in: row["services"]),
            created: WallMoment(millisecondsSince1970: try row["created_ms"]),
            revoked: revoked.map(WallMoment.init(millisecondsSince1970:)))
    }

    fileprivate static func text(of scopes: Set<AccessScope>) -> String {
        AccessScope.allCases.filter(scopes.contains).map(\.rawValue).joined(separator: " ")
    }

    /// Returns the numbers of the services; `nil` if there are no bounds.
    fileprivate static func text(of bounds: ServiceBounds) -> String? {
        bounds.services?.map(\.rawValue).sorted().map(String.init).joined(separator: " ")
    }

    private static func bounds(in text: String?) throws -> ServiceBounds {
        guard let text else { return .unbound }
        let services = try text.split(separator: " ").map { number in
            guard let number = Int64(number) else { throw UnreadableValue() }
            return ServiceID(rawValue: number)
        }
        return ServiceBounds(Set(services))
    }
}

extension HotSQL {
    static let grantOfToken = """
        SELECT name, scopes, services, created_ms, revoked_ms FROM access_token
        WHERE digest = ?1 AND revoked_ms IS NULL
        """
}
