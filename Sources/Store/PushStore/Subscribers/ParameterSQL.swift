/// What a subscription's parameters say, in each engine's own words for JSON. Parameters that are no JSON
/// object match nothing, and are no error.
enum ParameterSQL {
    /// A condition: whether `subscription.parameters` has all that a JSON object of texts wants.
    /// - Parameter wanted: its parameter, `?3`.
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

    /// Each name that a subscription of these has a parameter of, once. ?1…?2 subscriptions.
    static func names(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite:
            """
            SELECT DISTINCT given.key
            FROM (SELECT parameters FROM subscription WHERE id BETWEEN ?1 AND ?2 AND json_valid(parameters)) s,
                json_each(s.parameters) AS given
            """
        case .postgreSQL:
            """
            SELECT DISTINCT given.key
            FROM subscription s
                CROSS JOIN LATERAL jsonb_object_keys(coalesce(parameters_of(s.parameters), '{}')) AS given (key)
            WHERE s.id BETWEEN ?1 AND ?2
            """
        }
    }
}
