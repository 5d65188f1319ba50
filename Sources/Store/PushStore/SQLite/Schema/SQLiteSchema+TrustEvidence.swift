extension SQLiteSchema {
    /// Adds the evidence of `TrustEvidence` to `account_trust`. An account that had a message
    /// accepted in an earlier version counts as proved.
    static let trustEvidence = """
        ALTER TABLE account_trust ADD COLUMN proved INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE account_trust ADD COLUMN storm_evidence INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE account_trust ADD COLUMN run_about_tokens INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE account_trust ADD COLUMN run_answers INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE account_trust ADD COLUMN doubt INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE account_trust ADD COLUMN dead_per_million INTEGER NOT NULL DEFAULT 20000;
        ALTER TABLE account_trust DROP COLUMN accepted_before;
        ALTER TABLE account_trust DROP COLUMN about_tokens_before;
        UPDATE account_trust SET proved = has_accepted;
        """
}
