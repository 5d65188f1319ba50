/// A row that was rejected.
package struct RejectedRow: Equatable, Sendable, CustomStringConvertible {
    /// The line in which the row begins, counted from 1 and including the header.
    package var line: Int
    package var fault: RowFault

    package init(line: Int, fault: RowFault) {
        self.line = line
        self.fault = fault
    }

    package var description: String { "line \(line): \(fault)" }
}

/// The rejection of rows of a file.
extension SubscriberCSV {
    /// Rejects the current row. The text after its first line feed is read as the next row.
    mutating func reject(_ fault: RowFault, into batch: inout SubscriberBatch) throws(WireError) {
        guard columns != nil else {
            throw .importFile(line: line, problem: "the header cannot be read: \(fault)")
        }
        batch.rejected.append(RejectedRow(line: line, fault: fault))
        isSkippingLine = true
    }

    /// Accepts the scanned row, or rejects it because of one of its fields.
    mutating func take(_ text: borrowing Span<UInt8>, into batch: inout SubscriberBatch) {
        guard let columns else { return }
        var row = SubscriberRow(columns: columns, platform: platform)
        if let fault = row.read(scanner.fields, in: text) {
            batch.rejected.append(RejectedRow(line: line, fault: fault))
        } else {
            batch.records.append(row.record)
        }
    }
}
