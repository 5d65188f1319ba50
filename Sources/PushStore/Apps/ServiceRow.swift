internal import PushModel

extension Service {
    init(row: Row) throws {
        let (label, cap) = ServiceLabel.read(try row["label"])
        self.init(
            id: ServiceID(rawValue: try row["id"]), name: try row["name"], label: label, frequencyCap: cap)
    }

    static func find(named name: String, _ db: any Session) throws -> Service? {
        try db.row(
            sql: "SELECT id, name, label FROM service WHERE name = ?1 AND removed_at IS NULL",
            arguments: [name]
        ).map { try Service(row: $0) }
    }
}

/// What `service.label` holds: the label, and on a line of its own the frequency cap, if there is one. No
/// label that is given holds a line break.
enum ServiceLabel {
    private static let mark = "\nat most "

    static func read(_ column: String) -> (label: String, cap: FrequencyCap?) {
        let lines = column.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1, let last = lines.last, last.hasPrefix("at most "),
            let cap = FrequencyCap(String(last.dropFirst("at most ".count)))
        else { return (column, nil) }
        return (lines.dropLast().joined(separator: "\n"), cap)
    }

    static func column(_ label: String, _ cap: FrequencyCap?) -> String {
        label + (cap.map { mark + $0.description } ?? "")
    }
}
