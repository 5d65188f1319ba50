package import PushModel

/// A file of recipients on its way in: bytes as they come, recipients as they are complete.
///
/// User keys one a line; or a table, which is CSV with a column `userKey` or `token` and one for each variable, or
/// an object of a delivery document's `target.recipients` a line. UTF-8, with or without BOM; empty lines do not
/// count, and an empty cell says nothing.
///
/// **Promises.** What comes out does not depend on how the bytes were cut. Memory is bounded by ``maximumLineBytes``
/// and what is fed at a time.
/// **Failures.** The first thing that is wrong ends it (``WireError/importFile(line:problem:)``): who is meant by a
/// file of which a line cannot be read, nobody knows. A file that ends within a line has broken off.
package struct RecipientFile {
    package enum Form: Sendable {
        case userKeys
        /// CSV, or JSON where the first character is a brace.
        case table
    }

    /// What a row of it may take.
    package static let maximumLineBytes = 1 << 17

    private let form: Form
    /// nil: that is not known yet.
    private var shape: Shape?
    private var csv = RecipientCSV()
    private var lines = RecipientLines()
    /// The beginning of a line whose end has not come yet, or of the file.
    private var pending: [UInt8] = []
    /// The line that the next unread byte stands in, from 1.
    private var line = 1

    private enum Shape { case keys, csv, json }

    package init(_ form: Form) { self.form = form }

    /// What its recipients are known by, as far as it was read.
    package var kind: RecipientList.Kind {
        switch shape {
        case .csv: csv.kind
        case .json: lines.kind
        case .keys, nil: .userKeys
        }
    }

    /// Names of all variables so far, each once.
    package var names: Set<String> { csv.names.union(lines.names) }

    /// Takes the next bytes; recipients that are complete are appended.
    package mutating func feed(
        _ bytes: [UInt8], into recipients: inout [ListedRecipient]
    ) throws(WireError) {
        pending += bytes
        try consume(isLast: false, into: &recipients)
        guard pending.count <= Self.maximumLineBytes else {
            throw fault("longer than \(Self.maximumLineBytes) bytes")
        }
    }

    /// Says that the file has ended.
    package mutating func finish(into recipients: inout [ListedRecipient]) throws(WireError) {
        try consume(isLast: true, into: &recipients)
        guard pending.isEmpty else {
            throw fault("the file ends within a line: it has broken off, or lacks its last line break")
        }
        if shape == .csv, !csv.hasHeader { throw fault(RecipientCSV.lacksHeader) }
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

    /// - Returns: whether it is known what it is.
    private mutating func begin(isLast: Bool) throws(WireError) -> Bool {
        if pending.starts(with: [0xFF, 0xFE]) || pending.starts(with: [0xFE, 0xFF]) {
            throw fault("the file is in UTF-16; save it as UTF-8")
        }
        let mark = ByteOrderMark.bytes
        guard isLast || pending.count >= mark.count else { return false }
        if pending.starts(with: mark) { pending.removeFirst(mark.count) }
        switch form {
        case .userKeys: shape = .keys
        case .table:
            let first = pending.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard let first else { return isLast }
            shape = first == UInt8(ascii: "{") ? .json : .csv
        }
        return true
    }

    /// - Returns: where the next line begins; nil: this one has no end yet.
    private mutating func takeLine(
        _ text: [UInt8], from start: Int, isLast: Bool, into recipients: inout [ListedRecipient]
    ) throws -> Int? {
        let end = text[start...].firstIndex(of: 0x0A)
        // An object that is whole cannot have broken off.
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

/// What is wrong with a line, without what stands in it.
struct RecipientFault: Error {
    let text: String
    init(_ text: String) { self.text = text }

    /// A user key or a token.
    static func checked(
        _ bytes: [UInt8], _ what: String, _ limits: TextLimits
    ) throws(RecipientFault) -> String {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw RecipientFault("\(what) is not UTF-8, or has a zero byte")
        }
        if let problem = limits.problem(of: text) { throw RecipientFault("\(what): \(problem)") }
        return text
    }

    static let mostNames = 256
}
