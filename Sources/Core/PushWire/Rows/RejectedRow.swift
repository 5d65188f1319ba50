/// A row that was not taken.
package struct RejectedRow: Equatable, Sendable, CustomStringConvertible {
    /// The line it begins in, from 1 with the header.
    package var line: Int
    package var fault: RowFault

    package init(line: Int, fault: RowFault) {
        self.line = line
        self.fault = fault
    }

    package var description: String { "line \(line): \(fault)" }
}

/// Which rows of a file are rejected.
extension SubscriberCSV {
    /// Rejects the row at hand; what follows its first line feed is read as the next one.
    mutating func reject(_ fault: RowFault, into batch: inout SubscriberBatch) throws(WireError) {
        guard columns != nil else {
            throw .importFile(line: line, problem: "the header cannot be read: \(fault)")
        }
        batch.rejected.append(RejectedRow(line: line, fault: fault))
        isSkippingLine = true
    }

    /// Takes the row that was scanned, or rejects it for one of its fields.
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
