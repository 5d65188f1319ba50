/// A row that was not taken.
package struct RejectedRow: Equatable, Sendable, CustomStringConvertible {
    /// The line it begins in, from 1 with the header.
    package var line: Int
    package var fault: CSVFault

    package init(line: Int, fault: CSVFault) {
        self.line = line
        self.fault = fault
    }

    package var description: String { "line \(line): \(fault)" }
}
