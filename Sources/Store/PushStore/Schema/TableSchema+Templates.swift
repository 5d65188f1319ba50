internal import PushModel

extension TableSchema {
    /// Documents by name: one row for each version that is kept. The rows of service 0 belong to no service.
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

    /// The statements that insert the templates that come with the product, in new stores and in stores of
    /// earlier versions. They belong to no service, so their names do not clash with those of a service's
    /// templates. If an operator deletes them, they are not inserted again.
    var productTemplates: [String] {
        let now = either("strftime('%s', 'now')", "extract(epoch FROM now())")
        return ProductTemplate.all.map { template in
            """
            INSERT INTO template (service_id, name, version, body, created_ms)
            VALUES (\(StoredTemplate.noService.rawValue), '\(template.name)', 1,
                \(either("CAST('\(template.body)' AS BLOB)", "convert_to('\(template.body)', 'UTF8')")),
                CAST(\(now) AS BIGINT) * 1000)
            """
        }
    }

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
