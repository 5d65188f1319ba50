internal import PushWire

/// Where rows go that were not taken: to a file, or the first few to standard error.
struct RejectLog: ~Copyable {
    private var file: RejectsFile?
    private var csv = CSVWriter()
    private(set) var count = 0

    private static let shownWithoutFile = 10

    /// - Parameter file: nil shows the first few.
    init(file: consuming RejectsFile?) { self.file = file }

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
        try file?.place()
        if file == nil, count > Self.shownWithoutFile {
            StandardError.line("… and \(count - Self.shownWithoutFile) more; --rejects FILE keeps them all")
        }
    }

    /// After a failure: what was found until then is as true as before. Where nothing was, an earlier file
    /// stays.
    mutating func finishAfterFailure() throws(CommandFailure) {
        if count > 0 { try finish() }
    }

    private mutating func flush() throws(CommandFailure) {
        guard !csv.bytes.isEmpty else { return }
        let bytes = csv.bytes
        try file?.append(bytes)
        csv.removeAll()
    }
}
