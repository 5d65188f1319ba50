internal import PushModel

extension Service {
    /// The properties of a service other than its name.
    private static let fields: [(column: String, value: @Sendable (Service) -> any SQLConvertible)] = [
        ("label", { $0.label }), ("frequency_cap", { $0.frequencyCap?.description }),
        ("description", { $0.description }),
    ]

    private static let columns = fields.map(\.column).joined(separator: ", ")
    static let selection = "SELECT id, name, \(columns) FROM service"
    static let insertion =
        "INSERT INTO service (name, \(columns)) VALUES (?1, "
        + fields.indices.map { "?\($0 + 2)" }.joined(separator: ", ") + ")"
    /// Changes the service whose number is ?1.
    static let change =
        "UPDATE service SET "
        + fields.enumerated().map { "\($1.column) = ?\($0 + 2)" }.joined(separator: ", ")
        + " WHERE id = ?1"

    var values: [any SQLConvertible] { Self.fields.map { $0.value(self) } }

    init(row: Row) throws {
        self.init(id: ServiceID(rawValue: try row["id"]), name: try row["name"], label: try row["label"])
        let cap: String? = try row["frequency_cap"]
        frequencyCap = cap.flatMap { FrequencyCap($0) }
        description = try row["description"]
    }

    static func find(named name: String, _ db: any Session) throws -> Service? {
        try db.row(sql: "\(selection) WHERE name = ?1 AND removed_at IS NULL", arguments: [name])
            .map { try Service(row: $0) }
    }
}
