/// Conditions on a subscription's parameters, in each engine's own JSON syntax. Parameters that are not a
/// JSON object match nothing and cause no error.
enum ParameterSQL {
    /// Returns a condition that is true if `subscription.parameters` contains everything in a JSON object of
    /// strings.
    /// - Parameter wanted: The statement's parameter for that object, such as `?3`.
    static func match(_ wanted: String, _ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite:
            """
            CASE WHEN json_valid(parameters) THEN NOT EXISTS (
                SELECT 1 FROM json_each(\(wanted)) AS wanted
                WHERE NOT EXISTS (
                    SELECT 1 FROM json_each(subscription.parameters) AS given
                    WHERE given.key = wanted.key AND given.value = wanted.value))
                ELSE 0 END
            """
        case .postgreSQL:
            "coalesce(parameters_of(parameters) @> CAST(\(wanted) AS JSONB), false)"
        }
    }

    /// Returns a statement that lists each parameter name of these subscriptions once. ?1…?2 subscriptions.
    static func names(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite:
            """
            SELECT DISTINCT given.key
            FROM (SELECT parameters FROM subscription WHERE id BETWEEN ?1 AND ?2 AND json_valid(parameters)) \
            s,
                json_each(s.parameters) AS given
            """
        case .postgreSQL:
            """
            SELECT DISTINCT given.key
            FROM subscription s
                CROSS JOIN LATERAL jsonb_object_keys(coalesce(parameters_of(s.parameters), '{}')) AS given
                (key)
            WHERE s.id BETWEEN ?1 AND ?2
            """
        }
    }
}
