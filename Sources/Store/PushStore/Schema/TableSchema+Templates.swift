extension TableSchema {
    /// Contents by name: one row for each version that is kept.
    var templates: [String] {
        [
            """
            CREATE TABLE template (
                service_id \(integer) NOT NULL,
                name \(text) NOT NULL,
                version \(integer) NOT NULL,
                body \(bytes) NOT NULL,
                created_ms \(integer) NOT NULL,
                PRIMARY KEY (service_id, name, version)
            \(keyedEnd)
            """
        ]
    }
}
