import PushModel

/// A table of recipients in the form of RFC 4180, or with semicolons or tabs (``CSVSeparator``). The first
/// row contains the column names.
struct RecipientCSV {
    private struct Column {
        var index: Int
        /// The name as a JSON key, with its colon.
        var key: [UInt8]
        var name: String
    }

    /// The parameter that identifies the recipients; `nil` if they are identified by user key or token.
    let key: RecipientKey?
    private(set) var kind = RecipientList.Kind.userKeys
    private(set) var names: Set<String> = []
    private(set) var hasHeader = false
    private var scanner = CSVScanner()
    private var count = 0
    private var recipient = 0
    private var columns: [Column] = []

    private static let userKeyName = "userKey"
    private static let tokenName = "token"

    private static let lacksHeader =
        "the header has neither a userKey nor a token column; the first line must contain one of them "
        + "(case matters), and variables in the other columns; columns are separated by \(CSVSeparator.words)"

    init(key: RecipientKey? = nil) { self.key = key }

    /// The fault of a file without the columns that identify recipients.
    var lacksHeader: String {
        guard let key else { return Self.lacksHeader }
        return
            "the header has no column \(key.name.printable(atMost: 64)); the first line must contain it "
            + "(case matters), and variables in the other columns; columns are separated by "
            + CSVSeparator.words
    }

    /// Reads a row.
    /// - Parameter line: The line in which the row begins; on return, the line after it.
    /// - Returns: The beginning of the next row, or `nil` if the end of this row has not been received yet.
    mutating func take(
        _ text: Span<UInt8>, from position: Int, _ line: inout Int, into recipients: inout [ListedRecipient]
    ) throws(RecipientFault) -> Int? {
        if !hasHeader {
            let isChosen = scanner.chooseSeparator(
                text, from: position, to: text.count, mayGrow: true
            ) { [key] names in
                key.map { names.contains($0.name) }
                    ?? (names.contains(Self.userKeyName) || names.contains(Self.tokenName))
            }
            guard isChosen else { return nil }
        }
        // Even the last row must end with a line break, so the end of `text` never ends a row.
        switch scanner.scan(text, from: position, to: text.count, isLast: false) {
        case .record(let next, let lineFeeds):
            if hasHeader {
                recipients.append(try row(text))
            } else {
                try readHeader(text)
            }
            line += lineFeeds
            return next
        case .blank(let next):
            line += 1
            return next
        case .malformed(let fault): throw RecipientFault("\(fault)")
        case .incomplete: return nil
        }
    }

    private mutating func readHeader(_ text: borrowing Span<UInt8>) throws(RecipientFault) {
        var found: [String] = []
        for field in scanner.fields {
            let bytes = field.bytes(in: text)
            guard let name = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                throw RecipientFault("the header is not valid UTF-8; save the file as UTF-8")
            }
            guard !name.isEmpty, !found.contains(name) else {
                let what = name.isEmpty ? "no name" : "the name of another column"
                throw RecipientFault("column \(found.count + 1) of the header has \(what)")
            }
            found.append(name)
        }
        guard found.count <= RecipientFault.maxNames else {
            throw RecipientFault("\(found.count) columns; the maximum is \(RecipientFault.maxNames)")
        }
        let (userKey, token) = (
            found.firstIndex(of: Self.userKeyName), found.firstIndex(of: Self.tokenName)
        )
        let named = key.map { found.firstIndex(of: $0.name) }
        guard let recipient = named ?? (userKey ?? token) else { throw RecipientFault(lacksHeader) }
        guard key != nil || userKey == nil || token == nil else {
            throw RecipientFault("the header has both a userKey and a token column; remove one of them")
        }
        (self.recipient, kind, count, hasHeader) = (
            recipient, key == nil && userKey == nil ? .tokens : .userKeys, found.count, true
        )
        columns = found.enumerated().filter { $0.offset != recipient }.map { index, name in
            var key: [UInt8] = []
            JSONText.append(name, to: &key)
            key.append(UInt8(ascii: ":"))
            return Column(index: index, key: key, name: name)
        }
        names = Set(columns.map(\.name))
    }

    private func row(_ text: borrowing Span<UInt8>) throws(RecipientFault) -> ListedRecipient {
        let fields = scanner.fields
        guard fields.count == count else {
            throw RecipientFault("\(RowFault.columns(found: fields.count, expected: count))")
        }
        let bytes = fields[recipient].bytes(in: text)
        let value =
            if let key {
                try RecipientFault.checked(bytes, key)
            } else {
                try RecipientFault.checked(bytes, kind.key, kind.limits)
            }
        var json: [UInt8] = []
        for column in columns where fields[column.index].start < fields[column.index].end {
            let bytes = fields[column.index].bytes(in: text)
            guard let cell = String(validating: bytes, as: UTF8.self) else {
                throw RecipientFault("\(RowFault.notUTF8(column: column.name))")
            }
            json.append(json.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            json += column.key
            JSONText.append(cell, to: &json)
        }
        if !json.isEmpty { json.append(UInt8(ascii: "}")) }
        guard json.count <= RecipientVariables.maximumBytes else {
            throw RecipientFault(
                "variables have \(json.count) bytes; the maximum is \(RecipientVariables.maximumBytes)")
        }
        return ListedRecipient(value, variables: json)
    }
}

/// Recipients in the form of a document's `target.recipients`, one per line.
struct RecipientLines {
    /// The parameter that identifies the recipients; `nil` if they are identified by user key or token.
    let key: RecipientKey?
    /// The kind of the recipients. The first recipient determines the kind of all.
    private(set) var kind = RecipientList.Kind.userKeys
    private(set) var names: Set<String> = []
    private var isBegun = false
    /// The members of a recipient who is identified by the parameter.
    private let fields: Fields<Recipient>?

    init(key: RecipientKey? = nil) {
        self.key = key
        fields = key.map { RecipientList.Kind.fields(namedBy: $0.name) }
    }

    /// - Returns: `nil` if the line is empty.
    mutating func recipient(_ bytes: [UInt8]) throws -> ListedRecipient? {
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            throw RecipientFault("not JSON: \(error)")
        }
        if !isBegun, key == nil { kind = value["token"] == nil ? .userKeys : .tokens }
        isBegun = true
        var reader = DocumentReader()
        let read = reader.recipient(value, at: "", fields ?? kind.fields)
        if let fault = reader.faults.all.first { throw RecipientFault("\(fault)") }
        guard let read else { throw RecipientFault("no recipient") }
        names.formUnion(read.texts.map(\.name))
        guard names.count <= RecipientFault.maxNames else {
            throw RecipientFault("more than \(RecipientFault.maxNames) variable names")
        }
        let name = try key.map { try RecipientFault.checked(Array(read.value.utf8), $0) } ?? read.value
        return ListedRecipient(name, variables: RecipientVariables.json(read.texts) ?? [])
    }
}
