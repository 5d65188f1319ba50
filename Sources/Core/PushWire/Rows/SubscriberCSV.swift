package import PushModel

/// Reads a subscriber file while it is being received: it takes bytes as they arrive and returns each row as
/// soon as it is complete.
///
/// The file is RFC 4180 in UTF-8, with or without BOM, and may have semicolons or tabs in place of commas
/// (``CSVSeparator``). The first line contains the column names: `token` and `userKey`, in any order, and any
/// other names, which become subscription parameters, unless they are names of collected facts
/// (``SubscriberColumns/language``). An empty cell is not a parameter. If the app declares parameters, all
/// other columns must be declared parameters, and each value must be of the declared kind, as in a
/// registration.
///
/// **Promises.** The result does not depend on how the bytes were split. A bad row affects only itself: the
/// next line is read as if the bad row did not exist. Memory is bounded by ``maximumRowBytes`` and the number
/// of bytes that are fed at a time.
/// **Failures.** If the header is unusable or the file is not text, reading throws an error. A bad row
/// results in a ``RejectedRow``.
package struct SubscriberCSV {
    /// Maximum length of a row, in bytes. A longer row is rejected without being read.
    package static let maximumRowBytes = 1 << 20

    let platform: Platform
    private let declared: [ParameterDeclaration]
    var scanner = CSVScanner()
    var columns: SubscriberColumns?
    /// The beginning of a row whose end has not been received yet.
    private var pending: [UInt8] = []
    /// The line of the next unread byte, from 1.
    var line = 1
    /// Whether the rest of a rejected line has not been received yet.
    var isSkippingLine = false
    private var isAtStart = true

    /// - Parameter declared: The parameters that the app accepts; empty if it accepts any.
    package init(platform: Platform, declared: [ParameterDeclaration] = []) {
        self.platform = platform
        self.declared = declared
    }

    /// Takes the next bytes of the file and appends completed rows to `batch`.
    ///
    /// - Throws: ``WireError/importFile(line:problem:)`` if the header is unusable, or if the file is not
    ///   text. The caller must then feed no more bytes.
    package mutating func feed(_ bytes: borrowing Span<UInt8>, into batch: inout SubscriberBatch)
        throws(WireError)
    {
        if pending.isEmpty, !isAtStart {
            let consumed = try consume(bytes, isLast: false, into: &batch)
            append(bytes, from: consumed, to: &pending)
        } else {
            append(bytes, from: 0, to: &pending)
            // If the new bytes contain no line feed, the current row cannot be complete. Scanning a long row
            // again for every piece would take time quadratic in the row's length.
            if !isAtStart, pending.count <= Self.maximumRowBytes, bytes.firstLineFeed(from: 0) == nil {
                return
            }
            try consumePending(isLast: false, into: &batch)
        }
    }

    /// Ends the file. Its last line does not need a line feed.
    ///
    /// - Throws: ``WireError/importFile(line:problem:)`` if there was no header, or if the file is not text.
    package mutating func finish(into batch: inout SubscriberBatch) throws(WireError) {
        try consumePending(isLast: true, into: &batch)
        if columns == nil {
            throw .importFile(
                line: 1, problem: "the file is empty; the first line must contain token and userKey")
        }
    }

    // MARK: Bytes

    private mutating func consumePending(isLast: Bool, into batch: inout SubscriberBatch) throws(WireError) {
        // Moved out, so that rows can be read in place while the rest of the value changes.
        var bytes: [UInt8] = []
        swap(&bytes, &pending)
        var consumed = 0
        if isAtStart {
            // A BOM has fewer bytes.
            guard bytes.count >= ForeignFile.recognisableBytes || isLast else {
                return swap(&bytes, &pending)
            }
            isAtStart = false
            if let problem = ForeignFile.problem(of: bytes) { throw .importFile(line: 1, problem: problem) }
            if bytes.starts(with: ByteOrderMark.bytes) { consumed = 3 }
        }
        consumed += try consume(bytes.span.extracting(droppingFirst: consumed), isLast: isLast, into: &batch)
        bytes.removeSubrange(..<consumed)
        swap(&bytes, &pending)
    }

    /// Reads all complete rows.
    ///
    /// - Returns: The number of bytes that have been processed.
    private mutating func consume(
        _ text: borrowing Span<UInt8>, isLast: Bool, into batch: inout SubscriberBatch
    ) throws(WireError) -> Int {
        var position = 0
        while position < text.count {
            if isSkippingLine {
                guard let lineFeed = text.firstLineFeed(from: position) else { return text.count }
                position = lineFeed + 1
                line += 1
                isSkippingLine = false
                continue
            }
            let end = min(text.count, position + Self.maximumRowBytes)
            if columns == nil {
                let isChosen = scanner.chooseSeparator(
                    text, from: position, to: end, mayGrow: !isLast && end == text.count,
                    where: SubscriberColumns.areNamed)
                guard isChosen else { return position }
            }
            switch scanner.scan(text, from: position, to: end, isLast: isLast && end == text.count) {
            case .record(let next, let lineFeeds):
                if columns == nil {
                    columns = try header(of: text)
                } else {
                    take(text, into: &batch)
                }
                position = next
                line += lineFeeds
            case .blank(let next):
                position = next
                line += 1
            case .malformed(let fault):
                try reject(fault, into: &batch)
            case .incomplete:
                if end == text.count { return position }
                try reject(.tooLong(limit: Self.maximumRowBytes), into: &batch)
            }
        }
        return position
    }

    private func append(_ bytes: borrowing Span<UInt8>, from start: Int, to array: inout [UInt8]) {
        // Unsafe for speed: the span is only read, and only during the call.
        unsafe bytes.extracting(droppingFirst: start).withUnsafeBufferPointer {
            unsafe array.append(contentsOf: $0)
        }
    }

    // MARK: Rows

    private func header(of text: borrowing Span<UInt8>) throws(WireError) -> SubscriberColumns {
        var names: [String] = []
        for field in scanner.fields {
            guard let name = String(validating: field.bytes(in: text), as: UTF8.self) else {
                throw .importFile(
                    line: line, problem: "the header is not valid UTF-8; save the file as UTF-8")
            }
            names.append(name)
        }
        return try SubscriberColumns(names: names, declared: declared, line: line)
    }
}

/// The result of reading a piece of a subscriber file.
package struct SubscriberBatch: Equatable, Sendable {
    package var records: [SubscriberRecord] = []
    package var rejected: [RejectedRow] = []
    package init() {}

    /// Empties the batch and keeps its memory for the next piece.
    package mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        rejected.removeAll(keepingCapacity: true)
    }
}

extension Span<UInt8> {
    func firstLineFeed(from start: Int) -> Int? {
        var index = start
        while index < count {
            if self[index] == 0x0A { return index }
            index += 1
        }
        return nil
    }
}
