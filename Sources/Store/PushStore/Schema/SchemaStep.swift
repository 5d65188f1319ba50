/// What a version of the store has besides ``TableSchema/tables``, the same on both engines. A new step is an
/// element of ``all``.
package struct SchemaStep: Sendable {
    /// A few words, for SQLite's list of migrations.
    let name: String
    /// A column that the step adds, as `table.column`, if builds without it need not know of it: their
    /// statements name neither it nor its table. PostgreSQL gets such a column or table while hosts of an
    /// earlier build send, and keeps its version, so that a rolling upgrade brings it.
    let addition: String?
    let statements: @Sendable (_ schema: TableSchema) -> [String]

    package init(
        _ name: String, addition: String? = nil,
        _ statements: @escaping @Sendable (_ schema: TableSchema) -> [String]
    ) {
        (self.name, self.addition, self.statements) = (name, addition, statements)
    }

    /// In their order. A test adds the step of a version to come.
    @TaskLocal package static var all = [
        SchemaStep("descriptions of services", addition: "service.description") {
            ["ALTER TABLE service ADD COLUMN description \($0.text)"]
        },
        SchemaStep("jobs", addition: "job.id") { $0.jobs },
    ]
}
