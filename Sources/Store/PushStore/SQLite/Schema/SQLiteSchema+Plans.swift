internal import PushModel

extension SQLiteSchema {
    /// What the eighth migration adds: indexes that are the best for their statements by themselves, with no
    /// hint in a text that another engine reads too.
    static let plainPlans = """
        DROP INDEX part_open;
        CREATE INDEX part_open ON part (open, id) WHERE open = 1;
        DROP INDEX held_verdict_account;
        CREATE INDEX held_verdict_account ON held_verdict (account_id, id);
        DROP INDEX quarantine_counting;
        CREATE INDEX quarantine_counting ON quarantine (state, subscription_id) WHERE state = \(StateCode.counting);
        DROP INDEX quarantine_last_error;
        CREATE INDEX quarantine_last_error ON quarantine (state, last_error_at) WHERE state = \(StateCode.counting);
        """
}
