internal import PushModel

extension Service {
    init(row: Row) throws {
        let cap: String? = try row["frequency_cap"]
        self.init(
            id: ServiceID(rawValue: try row["id"]), name: try row["name"], label: try row["label"],
            frequencyCap: cap.flatMap { FrequencyCap($0) })
    }

    static func find(named name: String, _ db: any Session) throws -> Service? {
        try db.row(
            sql: "SELECT id, name, label, frequency_cap FROM service WHERE name = ?1 AND removed_at IS NULL",
            arguments: [name]
        ).map { try Service(row: $0) }
    }
}
