import PushModel

/// A table in CSV whose columns have any names, such as an export from another program. It becomes a file
/// that ``SubscriberCSV`` reads as soon as a person has chosen the meaning of its columns.
///
/// **Promises.** A row has the same line in the new file as in the table, and a row that cannot be read is
/// one that cannot be read in the new file, so that faults of the new file's rows apply to the table.
package struct TableFile: Sendable {
    /// The name under which a column with this meaning is in a subscriber file.
    package static let tokenName = SubscriberColumns.tokenName
    package static let userKeyName = SubscriberColumns.userKeyName

    private let bytes: [UInt8]
    private let separator: CSVSeparator
    /// The number of empty lines before the header.
    private let blankLines: Int
    private let headerLineFeeds: Int
    /// The place at which the first row begins.
    private let start: Int
    package let columns: [String]
    /// The first rows that can be read.
    package private(set) var firstRows: [[String]] = []
    /// The size of the file.
    package var byteCount: Int { bytes.count }
    /// The number of rows, including those that cannot be read.
    package private(set) var rowCount = 0

    /// - Parameter shown: The maximum number of rows in ``firstRows``.
    /// - Throws: ``WireError/importFile(line:problem:)`` if the file is not a table in UTF-8.
    package init(_ bytes: [UInt8], shown: Int = 5) throws(WireError) {
        if let problem = ForeignFile.problem(of: bytes) { throw .importFile(line: 1, problem: problem) }
        var start = bytes.starts(with: ByteOrderMark.bytes) ? 3 : 0
        var blankLines = 0
        while start < bytes.count, bytes[start] == 0x0A || bytes[start] == 0x0D {
            if bytes[start] == 0x0A { blankLines += 1 }
            start += 1
        }
        guard start < bytes.count else { throw .importFile(line: 1, problem: "the file is empty") }
        guard let header = Self.header(of: bytes.span, from: start) else {
            throw .importFile(
                line: blankLines + 1,
                problem: "the first line does not contain the names of columns; save the file as CSV UTF-8")
        }
        guard header.names.count <= SubscriberColumns.maximumColumns else {
            throw .importFile(
                line: blankLines + 1,
                problem: "\(header.names.count) columns; the maximum is \(SubscriberColumns.maximumColumns)")
        }
        self.bytes = bytes
        self.blankLines = blankLines
        (separator, columns) = (header.separator, header.names)
        (self.start, headerLineFeeds) = (header.next, header.lineFeeds)
        var rows = Rows(from: header.next, separator, line: 0)
        while let row = rows.next(bytes.span) {
            guard row != .blank else { continue }
            rowCount += 1
            if row == .record, firstRows.count < shown, rows.scanner.fields.count == columns.count {
                firstRows.append(rows.cells(in: bytes.span))
            }
        }
    }

    private typealias Header = (separator: CSVSeparator, names: [String], next: Int, lineFeeds: Int)

    /// Reads the header with the separator that splits it into the most columns.
    private static func header(of text: borrowing Span<UInt8>, from start: Int) -> Header? {
        var best: Header?
        for separator in CSVSeparator.allCases {
            var rows = Rows(from: start, separator, line: 0)
            guard rows.next(text) == .record, rows.scanner.fields.count > best?.names.count ?? 0,
                let names = rows.names(in: text)
            else { continue }
            best = (separator, names, rows.position, rows.lineFeeds)
        }
        return best
    }

    /// Returns the table as a subscriber file.
    /// - Parameter chosen: The columns to keep, with their names in the subscriber file. If none of them is
    ///   the user key, all user keys are empty.
    package func subscriberFile(_ chosen: [(column: Int, name: String)]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 1_024)
        let hasUserKey = chosen.contains { $0.name == Self.userKeyName }
        output += repeatElement(0x0A, count: blankLines)
        var rowStart = output.count
        let names = chosen.map(\.name) + (hasUserKey ? [] : [Self.userKeyName])
        for (index, name) in names.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            Self.append(Array(name.utf8), to: &output)
        }
        Self.endRow(from: rowStart, lineFeeds: headerLineFeeds, of: &output)
        let text = bytes.span
        var rows = Rows(from: start, separator, line: 0)
        while let row = rows.next(text) {
            rowStart = output.count
            switch row {
            case .record where rows.scanner.fields.count == columns.count:
                for (index, choice) in chosen.enumerated() {
                    if index > 0 { output.append(UInt8(ascii: ",")) }
                    Self.append(rows.scanner.fields[choice.column].bytes(in: text), to: &output)
                }
                if !hasUserKey { output.append(UInt8(ascii: ",")) }
            case .record:
                // As many columns too many, or too few, as the table's row has.
                let count = max(1, names.count + rows.scanner.fields.count - columns.count)
                output += repeatElement(UInt8(ascii: ","), count: count - 1)
                if count == 1 { output.append(UInt8(ascii: "x")) }
            case .blank: break
            // The row itself could change the meaning of the rows after it.
            case .malformed(.nulByte): output.append(0)
            case .malformed(.strayCarriageReturn): output += "x\rx".utf8
            case .malformed: output += "x\"".utf8
            }
            Self.endRow(from: rowStart, lineFeeds: rows.lineFeeds, of: &output)
        }
        return output
    }

    /// Ends a row so that it has as many lines as the row of the table.
    private static func endRow(from start: Int, lineFeeds: Int, of output: inout [UInt8]) {
        let written = output[start...].count { $0 == 0x0A }
        output += repeatElement(0x0A, count: max(1, lineFeeds - written))
    }

    /// Returns the cells of the rows that begin in these lines. A row that cannot be read has one cell.
    package func rows(inLines lines: Set<Int>) -> [Int: [String]] {
        var found: [Int: [String]] = [:]
        var rows = Rows(from: start, separator, line: blankLines + 1 + headerLineFeeds)
        while found.count < lines.count, let row = rows.next(bytes.span) {
            guard lines.contains(rows.firstLine) else { continue }
            switch row {
            case .record: found[rows.firstLine] = rows.cells(in: bytes.span)
            case .malformed:
                let text = bytes[rows.first..<rows.position].prefix { $0 != 0x0A }.prefix(10_000)
                found[rows.firstLine] = [Rows.text(Array(text))]
            case .blank: break
            }
        }
        return found
    }

    private static func append(_ field: [UInt8], to output: inout [UInt8]) {
        let isGuarded = CSVGuard.isNeeded(for: field)
        let needsQuotes = field.contains {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D
        }
        if needsQuotes { output.append(UInt8(ascii: "\"")) }
        if isGuarded { output.append(CSVGuard.mark) }
        for byte in field {
            if byte == UInt8(ascii: "\"") { output.append(byte) }
            output.append(byte)
        }
        if needsQuotes { output.append(UInt8(ascii: "\"")) }
    }
}

extension TableFile {
    /// The rows of a table, one after the other.
    private struct Rows {
        enum Row: Equatable {
            /// The scanner has the fields.
            case record
            case blank
            /// A line that is not a row. The next row begins in the next line.
            case malformed(RowFault)
        }

        private(set) var scanner = CSVScanner()
        /// The place and the line at which the last row began.
        private(set) var first = 0
        private(set) var firstLine = 0
        /// The place at which the next row begins.
        private(set) var position: Int
        /// The number of line feeds in the last row.
        private(set) var lineFeeds = 0
        private var line: Int

        init(from position: Int, _ separator: CSVSeparator, line: Int) {
            (self.position, self.line) = (position, line)
            scanner.separator = separator
        }

        mutating func next(_ text: borrowing Span<UInt8>) -> Row? {
            guard position < text.count else { return nil }
            (first, firstLine) = (position, line)
            defer { line += lineFeeds }
            let end = min(text.count, position + SubscriberCSV.maximumRowBytes)
            switch scanner.scan(text, from: position, to: end, isLast: end == text.count) {
            case .record(let next, let count):
                (position, lineFeeds) = (next, count)
                return .record
            case .blank(let next):
                (position, lineFeeds) = (next, 1)
                return .blank
            case .malformed(let fault):
                skipLine(text)
                return .malformed(fault)
            case .incomplete:
                skipLine(text)
                return .malformed(.tooLong(limit: SubscriberCSV.maximumRowBytes))
            }
        }

        private mutating func skipLine(_ text: borrowing Span<UInt8>) {
            let lineFeed = text.firstLineFeed(from: position)
            (position, lineFeeds) = (lineFeed.map { $0 + 1 } ?? text.count, lineFeed == nil ? 0 : 1)
        }

        /// - Returns: `nil` if the names are not UTF-8.
        func names(in text: borrowing Span<UInt8>) -> [String]? {
            var names: [String] = []
            for field in scanner.fields {
                guard let name = String(validating: field.bytes(in: text), as: UTF8.self) else { return nil }
                names.append(name)
            }
            return names
        }

        func cells(in text: borrowing Span<UInt8>) -> [String] {
            var cells: [String] = []
            for field in scanner.fields { cells.append(Self.text(field.bytes(in: text))) }
            return cells
        }

        static func text(_ bytes: [UInt8]) -> String {
            String(validating: bytes, as: UTF8.self) ?? "\u{FFFD}"
        }
    }
}
