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
