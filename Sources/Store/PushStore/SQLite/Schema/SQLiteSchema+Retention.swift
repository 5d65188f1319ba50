internal import PushModel

extension SQLiteSchema {
    /// What the eleventh migration adds: what has ended long ago is found by an index and removed
    /// (``MessageRemoval``), and a backup says that it is one (``BackupMark``).
    ///
    /// A delivery's `retention_days` is its own number of days, or ``DeliveryRow/retentionOfSetting``.
    /// `removed_ms` says since when its messages count as removed, `is_removing` whether rows of them are
    /// left. `restored` of a delivery that is held says that a backup was restored, and nothing is damaged.
    ///
    /// Each addition is one of the table's description and costs no row; the indexes are of few columns.
    static let retention = """
        ALTER TABLE delivery ADD COLUMN retention_days INTEGER NOT NULL DEFAULT \(DeliveryRow.retentionOfSetting);
        ALTER TABLE delivery ADD COLUMN removed_ms INTEGER;
        ALTER TABLE delivery ADD COLUMN is_removing INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX delivery_ended ON delivery (retention_days, finished_ms) WHERE \(DeliveryRow.keepsMessages);
        CREATE INDEX delivery_removing ON delivery (is_removing, id) WHERE is_removing = 1;
        CREATE INDEX removed_subscription_time ON removed_subscription (removed_at);
        CREATE INDEX quarantine_since ON quarantine (since) WHERE \(StateCode.isExcluding);
        ALTER TABLE damaged_delivery ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE backup (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            taken_ms INTEGER NOT NULL
        ) STRICT;
        """
}
