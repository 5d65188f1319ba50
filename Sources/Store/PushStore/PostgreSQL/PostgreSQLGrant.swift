/// A statement that an administrator of the database must run before the account can open its store.
struct PostgreSQLGrant {
    /// The privilege that the account lacks, and the statement that grants it.
    let why: String

    /// The SQLSTATE if the account lacks USAGE on the only schema in the search path.
    private static let noSchema = "3F000"

    /// Finds the privilege whose absence caused an error.
    /// - Returns: `nil` if the error has another cause, or if the cause cannot be found.
    static func missing(after error: any Error, for writer: PostgreSQLWriter) -> PostgreSQLGrant? {
        guard case .answer(let state)? = error as? PostgreSQLError,
            [PostgreSQLError.notAllowed, noSchema].contains(state),
            let why = try? writer.read({ try $0.value(String.self, sql: diagnosis) })
        else { return nil }
        return PostgreSQLGrant(why: "\(why) (SQLSTATE \(PostgreSQLError.notAllowed))")
    }

    private static let schema = PostgreSQLSchema.name

    /// The first privilege that the account lacks, in the order in which opening a store needs them.
    private static let diagnosis = """
        SELECT CASE
            WHEN n.oid IS NULL AND NOT has_database_privilege(current_database(), 'CREATE') THEN format(
                'account %2$I may not create the schema \(schema); run as the database''s owner: '
                'GRANT CREATE ON DATABASE %1$I TO %2$I', current_database(), current_user)
            WHEN n.oid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = n.oid)
                AND NOT (has_schema_privilege(n.oid, 'CREATE') AND has_schema_privilege(n.oid, 'USAGE'))
            THEN format(
                'account %1$I may not create tables in the schema \(schema); run as the schema''s owner: '
                'GRANT USAGE, CREATE ON SCHEMA \(schema) TO %1$I', current_user)
            WHEN NOT has_schema_privilege(n.oid, 'USAGE') OR EXISTS (
                SELECT 1 FROM pg_class WHERE relnamespace = n.oid AND relkind = 'r'
                    AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
                        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')))
            THEN format(
                'account %1$I has no privileges on its tables; run as their owner: '
                'GRANT USAGE ON SCHEMA \(schema) TO %1$I; '
                'GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO %1$I; '
                'GRANT ALL ON ALL SEQUENCES IN SCHEMA \(schema) TO %1$I', current_user)
            WHEN NOT has_schema_privilege(n.oid, 'CREATE') THEN format(
                'account %1$I may not create the tables of this version in the schema \(schema); run as the '
                'schema''s owner: GRANT CREATE ON SCHEMA \(schema) TO %1$I', current_user)
            ELSE (SELECT format(
                'account %2$I may not change the tables of account %1$I for this version; '
                'open the store once as %1$I, or run as an administrator: GRANT %1$I TO %2$I',
                pg_get_userbyid(relowner), current_user)
                FROM pg_class WHERE relnamespace = n.oid AND relkind = 'r'
                    AND NOT pg_has_role(relowner, 'USAGE') LIMIT 1)
        END
        FROM (SELECT 1) one LEFT JOIN pg_namespace n ON n.nspname = '\(schema)'
        """
}
