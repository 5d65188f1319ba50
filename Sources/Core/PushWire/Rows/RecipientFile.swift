package import PushModel

/// Reads a file of recipients while it is being received: it takes bytes as they arrive and returns each
/// recipient as soon as it is complete.
///
/// The file contains one user key per line, or it is a table. A table is either CSV with a `userKey` or
/// `token` column and one column for each variable, or JSON with one object per line, in the form of the
/// objects in a delivery document's `target.recipients`. The encoding is UTF-8, with or without BOM. Empty
/// lines are ignored, and a variable has no value if its cell is empty.
///
/// **Promises.** The result does not depend on how the bytes were split. Memory is bounded by
/// ``maximumLineBytes`` and the number of bytes that are fed at a time.
/// **Failures.** The first fault ends the reading (``WireError/importFile(line:problem:)``), because the
/// intended recipients are unknown if a line cannot be read. A file that ends within a line is incomplete.
package struct RecipientFile {
    package enum Form: Sendable {
        case userKeys
        /// CSV, or JSON if the first character is a brace.
        case table
    }

    /// Maximum length of a line, in bytes.
    package static let maximumLineBytes = 1 << 17

    private let form: Form
    private let key: RecipientKey?
    /// The form of the file; `nil` until it is known.
    private var shape: Shape?
    private var csv: RecipientCSV
    private var lines: RecipientLines
    /// The beginning of the file, or of a line whose end has not been received yet.
    private var pending: [UInt8] = []
    /// The line of the next unread byte, from 1.
    private var line = 1

    private enum Shape { case keys, csv, json }

    /// - Parameter key: The parameter that identifies the recipients of a table; `nil` if they are identified
    ///   by user key or token.
    package init(_ form: Form, key: RecipientKey? = nil) {
        self.form = form
        self.key = key
        csv = RecipientCSV(key: key)
        lines = RecipientLines(key: key)
    }

    /// The kind of the file's recipients, as far as the file has been read.
    package var kind: RecipientList.Kind {
        switch shape {
        case .csv: csv.kind
        case .json: lines.kind
        case .keys, nil: .userKeys
        }
    }

    /// The names of all variables read so far, each once.
    package var names: Set<String> { csv.names.union(lines.names) }

    /// Takes the next bytes of the file and appends the recipients that are now complete.
    package mutating func feed(
        _ bytes: [UInt8], into recipients: inout [ListedRecipient]
    ) throws(WireError) {
        pending += bytes
        try consume(isLast: false, into: &recipients)
        guard pending.count <= Self.maximumLineBytes else {
            throw fault("longer than \(Self.maximumLineBytes) bytes")
        }
    }

    /// Ends the file.
    package mutating func finish(into recipients: inout [ListedRecipient]) throws(WireError) {
        try consume(isLast: true, into: &recipients)
        guard pending.isEmpty else {
            throw fault("the file ends within a line: it is truncated, or its last line break is missing")
        }
        if shape == .csv, !csv.hasHeader { throw fault(csv.lacksHeader) }
    }

    private mutating func consume(
        isLast: Bool, into recipients: inout [ListedRecipient]
    ) throws(WireError) {
        if shape == nil, try !begin(isLast: isLast) { return }
        var text: [UInt8] = []
        swap(&text, &pending)
        var position = 0
        do {
            while position < text.count {
                let next =
                    shape == .csv
                    ? try csv.take(text.span, from: position, &line, into: &recipients)
                    : try takeLine(text, from: position, isLast: isLast, into: &recipients)
                guard let next else { break }
                position = next
            }
        } catch let error as RecipientFault {
            throw fault(error.text)
        } catch {
            throw fault("\(error)")
        }
        text.removeSubrange(..<position)
        swap(&text, &pending)
    }

    /// - Returns: Whether the form of the file is known.
    private mutating func begin(isLast: Bool) throws(WireError) -> Bool {
        // A BOM has fewer bytes.
        guard isLast || pending.count >= ForeignFile.recognisableBytes else { return false }
        if let problem = ForeignFile.problem(of: pending) { throw fault(problem) }
        pending = ByteOrderMark.removed(from: pending)
        switch form {
        case .userKeys: shape = .keys
        case .table:
            let first = pending.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard let first else { return isLast }
            shape = first == UInt8(ascii: "{") ? .json : .csv
        }
        return true
    }

    /// - Returns: The beginning of the next line, or `nil` if the end of this line has not been received yet.
    private mutating func takeLine(
        _ text: [UInt8], from start: Int, isLast: Bool, into recipients: inout [ListedRecipient]
    ) throws -> Int? {
        let end = text[start...].firstIndex(of: 0x0A)
        // A last line without a line break is accepted only as JSON, because a truncated object is not JSON.
        guard end != nil || isLast && shape == .json else { return nil }
        var bytes = text[start..<(end ?? text.count)]
        if bytes.last == 0x0D { bytes.removeLast() }
        if !bytes.isEmpty { try take(bytes, into: &recipients) }
        if end != nil { line += 1 }
        return end.map { $0 + 1 } ?? text.count
    }

    private mutating func take(
        _ bytes: ArraySlice<UInt8>, into recipients: inout [ListedRecipient]
    ) throws {
        if shape == .json {
            if let recipient = try lines.recipient(Array(bytes)) { recipients.append(recipient) }
        } else {
            let key = try RecipientFault.checked(Array(bytes), "user key", RecipientList.Kind.userKeys.limits)
            recipients.append(ListedRecipient(key))
        }
    }

    private func fault(_ problem: String) -> WireError { .importFile(line: line, problem: problem) }
}

/// A fault in a line, without the contents of the line.
struct RecipientFault: Error {
    let text: String
    init(_ text: String) { self.text = text }

    /// Checks a user key or a token.
    static func checked(
        _ bytes: [UInt8], _ what: String, _ limits: TextLimits
    ) throws(RecipientFault) -> String {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw RecipientFault("\(what) is not valid UTF-8 or contains a zero byte")
        }
        if let problem = limits.problem(of: text) { throw RecipientFault("\(what): \(problem)") }
        return text
    }

    /// Checks the value of a parameter that identifies a recipient.
    /// - Returns: The text that represents the value in comparisons.
    static func checked(_ bytes: [UInt8], _ key: RecipientKey) throws(RecipientFault) -> String {
        let name = key.name.printable(atMost: 64)
        let text = try checked(bytes, name, .bytes(SubscriberLimits.parametersBytes))
        guard key.kind.accepts(text) else { throw RecipientFault("\(name): must be \(key.kind.words)") }
        return key.comparable(text)
    }

    static let maxNames = 256
}
