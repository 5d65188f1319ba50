/// Tables and columns that a version of the store has in addition to ``TableSchema/tables``, the same on both
/// engines. To add a step, append an element to ``all``.
package struct SchemaStep: Sendable {
    /// A short description for SQLite's list of migrations.
    let name: String
    /// A column that the step adds, as `table.column`, if builds without the step need not know the column,
    /// because their statements name neither the column nor its table. PostgreSQL gets such a column or table
    /// even while hosts of an earlier build are sending, and its version number stays the same, so a rolling
    /// upgrade can add it.
    let addition: String?
    let statements: @Sendable (_ schema: TableSchema) -> [String]

    package init(
        _ name: String, addition: String? = nil,
        _ statements: @escaping @Sendable (_ schema: TableSchema) -> [String]
    ) {
        (self.name, self.addition, self.statements) = (name, addition, statements)
    }

    /// The steps in order. A test adds the step of a future version.
    @TaskLocal package static var all = [
        SchemaStep("descriptions of services", addition: "service.description") {
            ["ALTER TABLE service ADD COLUMN description \($0.text)"]
        },
        SchemaStep("jobs", addition: "job.id") { $0.jobs },
        SchemaStep("former connections of apps", addition: "former_connection.app_id") {
            $0.formerConnections
        },
        SchemaStep("opt-outs, unknown integration keys", addition: "opt_out.app_id") { $0.optOuts },
        // Earlier builds list no template of a service 0, so the templates need not have a step of their own.
        SchemaStep("categories of apps and the product's templates", addition: "app.categories") {
            ["ALTER TABLE app ADD COLUMN categories \($0.text) NOT NULL DEFAULT '[]'"]
                + $0.productTemplates
        },
        SchemaStep("two integration keys of an app", addition: "app_key.app_id") { $0.appKeys },
        SchemaStep("activity of subscribers", addition: "activity.subscription_id") { $0.activity },
        SchemaStep("tokens that are bound to services", addition: "access_token.services") {
            [
                "ALTER TABLE access_token ADD COLUMN services \($0.text)",
                "ALTER TABLE job ADD COLUMN service_id \($0.integer)",
            ]
        },
        SchemaStep("people who use the console", addition: "person.id") { $0.people },
        SchemaStep("drafts of deliveries", addition: "draft.id") { $0.drafts },
    ]
}
