extension PostgreSQLSchema {
    /// The evidence of accounts. See ``SQLiteSchema/trustEvidence``.
    static let trustEvidence = [
        """
        ALTER TABLE account_trust
            ADD COLUMN proved BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN storm_evidence BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN run_about_tokens BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN run_answers BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN doubt BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN dead_per_million BIGINT NOT NULL DEFAULT 20000,
            DROP COLUMN accepted_before, DROP COLUMN about_tokens_before
        """,
        "UPDATE account_trust SET proved = has_accepted",
    ]
}
