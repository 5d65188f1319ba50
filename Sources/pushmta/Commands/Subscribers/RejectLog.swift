internal import PushWire

/// Where rows go that were not taken: to a file, or the first few to standard error.
struct RejectLog: ~Copyable {
    private var file: FileWriter?
    private var csv = CSVWriter()
    private(set) var count = 0

    private static let shownWithoutFile = 10

    /// - Parameter path: nil shows the first few.
    init(path: String?) throws(CommandFailure) {
        guard let path else { return }
        file = try FileWriter(path: path)
        csv.appendRow(["line", "reason"])
    }

    mutating func take(_ rows: [RejectedRow]) throws(CommandFailure) {
        for row in rows {
            count += 1
            if file != nil {
                csv.appendRow([String(row.line), "\(row.fault)"])
            } else if count <= Self.shownWithoutFile {
                StandardError.line("\(row)")
            }
        }
        try flush()
    }

    mutating func finish() throws(CommandFailure) {
        try flush()
        try file?.finish()
        if file == nil, count > Self.shownWithoutFile {
            StandardError.line("… and \(count - Self.shownWithoutFile) more; --rejects FILE keeps them all")
        }
    }

    private mutating func flush() throws(CommandFailure) {
        guard !csv.bytes.isEmpty else { return }
        let bytes = csv.bytes
        try file?.append { $0 += bytes }
        csv.removeAll()
    }
}
