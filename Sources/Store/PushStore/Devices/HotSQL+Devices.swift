extension HotSQL {
    /// ?1: the app; ?2: the number of new subscriptions. Returns the sequence number of the last new
    /// subscription and whether the app has any opt-outs, or no row if the app was deleted or has too few
    /// numbers left.
    static let takeSequences = """
        UPDATE app SET last_sequence = last_sequence + ?2
        WHERE id = ?1 AND removed_at IS NULL AND last_sequence + ?2 < \(1 << SubscriptionRange.sequenceBits)
        RETURNING last_sequence, \(OptOuts.anyOfApp)
        """

    /// ?1: the mark of a device. Returns the id, the user key and the state of the device's subscription.
    static let findDeviceByMark = """
        SELECT s.id, s.user_key, s.disabled FROM device d JOIN subscription s ON s.id = d.subscription_id
        WHERE d.mark = ?1 ORDER BY d.subscription_id DESC LIMIT 1
        """

    /// PostgreSQL only. ?1: the marks. Returns a row for each mark, in the order of the marks.
    static let findDevicesByMarks = """
        SELECT s.id, s.user_key, s.disabled
        FROM unnest(CAST(?1 AS BIGINT[])) WITH ORDINALITY AS g (mark, place)
            LEFT JOIN LATERAL (
                SELECT subscription_id FROM device WHERE mark = g.mark ORDER BY subscription_id DESC LIMIT 1
            ) d ON TRUE
            LEFT JOIN LATERAL (
                SELECT id, user_key, disabled FROM subscription WHERE id = d.subscription_id LIMIT 1
            ) s ON TRUE
        ORDER BY g.place
        """

    /// Returns SQL that yields the stored parameters if they apply to the user with this key, and NULL if
    /// they belong to another user. Parameters that were stored without a user key apply to the first user
    /// that registers.
    /// - Parameter key: The SQL parameter with the new user key.
    static func parameters(forUser key: String) -> String {
        "CASE WHEN user_key = \(key) OR user_key = '' THEN parameters END"
    }

    /// ?1: the id; ?2: the user key. Returns the parameters that apply to this user.
    static let parametersOfUser = "SELECT \(parameters(forUser: "?2")) FROM subscription WHERE id = ?1"

    /// ?1: the id; ?2: the token as ``StoredToken`` stores it; ?3: the user key; ?4: the parameters; ?5:
    /// whether these replace the stored ones; ?6: the current time; ?7: the state.
    static let registerAgain = """
        UPDATE subscription SET token = ?2, user_key = ?3,
            parameters = CASE WHEN ?5 = 1 THEN ?4 ELSE \(parameters(forUser: "?3")) END, updated_at = ?6,
            disabled = ?7
        WHERE id = ?1
        """

    private static let deviceColumns =
        "subscription_id, mark, name, model, brand, manufacturer, os_name, os_version, language"
    private static let replaceDevice = """
        ON CONFLICT (subscription_id) DO UPDATE SET mark = excluded.mark, name = excluded.name,
            model = excluded.model, brand = excluded.brand, manufacturer = excluded.manufacturer,
            os_name = excluded.os_name, os_version = excluded.os_version, language = excluded.language
        """

    /// ?1: the subscription; ?2: the mark; ?3…?9: the data that the device reports about itself, in the order
    /// of columns.
    static let noteDevice = """
        INSERT INTO device (\(deviceColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \(replaceDevice)
        """

    private static let replaceLanguage = """
        ON CONFLICT (subscription_id) DO UPDATE SET language = excluded.language
        WHERE device.language <> excluded.language
        """

    /// ?1: the subscription; ?2: the language. Changes no row if the device already has this language.
    static let noteLanguage = """
        INSERT INTO device (\(deviceColumns)) VALUES (?1, NULL, '', '', '', '', '', '', ?2) \(replaceLanguage)
        """

    /// PostgreSQL only: the same for many devices.
    static let noteLanguages = """
        INSERT INTO device (\(deviceColumns))
        SELECT g.id, CAST(NULL AS BIGINT), '', '', '', '', '', '', g.language
        FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS TEXT[])) AS g (id, language)
        WHERE TRUE \(replaceLanguage)
        """

    /// PostgreSQL only: the same columns for many devices. The smallest integer means that a device has no
    /// mark.
    static let noteDevices = """
        INSERT INTO device (\(deviceColumns))
        SELECT g.id, nullif(g.mark, CAST('\(Int64.min)' AS BIGINT)), g.name, g.model, g.brand, \
        g.manufacturer, g.os_name, g.os_version,
            g.language
        FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS BIGINT[]), CAST(?3 AS TEXT[]), CAST(?4 AS TEXT[]),
            CAST(?5 AS TEXT[]), CAST(?6 AS TEXT[]), CAST(?7 AS TEXT[]), CAST(?8 AS TEXT[]), CAST(?9 AS
            TEXT[]))
            AS g (id, mark, name, model, brand, manufacturer, os_name, os_version, language)
        WHERE TRUE \(replaceDevice)
        """
}
