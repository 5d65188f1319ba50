extension TableSchema {
    /// Delivery documents that people are still writing: see ``StoredDraft``.
    var drafts: [String] {
        [
            """
            CREATE TABLE draft (
                id \(number),
                service_id \(integer) NOT NULL,
                owner \(text) NOT NULL,
                changed_by \(text) NOT NULL,
                label \(text) NOT NULL,
                document \(bytes) NOT NULL,
                version \(integer) NOT NULL,
                created_ms \(integer) NOT NULL,
                updated_ms \(integer) NOT NULL
            \(end)
            """,
            "CREATE INDEX draft_service ON draft (service_id)",
        ]
    }
}
