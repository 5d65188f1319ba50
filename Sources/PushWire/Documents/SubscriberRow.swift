import PushModel

/// One row's fields on their way to a ``PushModel/SubscriberRecord``.
struct SubscriberRow {
    private let columns: SubscriberColumns
    private let platform: Platform
    private(set) var record = SubscriberRecord(token: "", userKey: "", parametersJSON: nil)

    init(columns: SubscriberColumns, platform: Platform) {
        self.columns = columns
        self.platform = platform
    }

    /// Fills ``record``.
    ///
    /// - Returns: what is wrong with the row, or nil.
    mutating func read(_ fields: [CSVScanner.Field], in text: borrowing Span<UInt8>) -> CSVFault? {
        guard fields.count == columns.count else {
            return .columns(found: fields.count, expected: columns.count)
        }
        if let fault = readToken(fields[columns.token], in: text) { return fault }
        let userKeyField = fields[columns.userKey]
        guard let userKey = Self.string(userKeyField, in: text) else {
            return .notUTF8(column: SubscriberColumns.userKeyName)
        }
        guard userKey.utf8.count <= SubscriberLimits.userKeyBytes else {
            return .userKeyTooLong(bytes: userKey.utf8.count, limit: SubscriberLimits.userKeyBytes)
        }
        record.userKey = userKey
        return columns.parameters.isEmpty ? nil : readParameters(fields, in: text)
    }

    private mutating func readToken(_ field: CSVScanner.Field, in text: borrowing Span<UInt8>) -> CSVFault? {
        if field.start == field.end { return .emptyToken }
        let form = DeviceToken.check(text.extracting(field.start..<field.end), for: platform)
        guard form != .invalid, !field.hasDoubledQuotes, let spelled = Self.string(field, in: text),
            let token = form == .canonical ? spelled : DeviceToken.canonical(spelled, for: platform)
        else { return .invalidToken(allowed: DeviceToken.allowed(for: platform)) }
        record.token = token
        return nil
    }

    private mutating func readParameters(_ fields: [CSVScanner.Field], in text: borrowing Span<UInt8>)
        -> CSVFault?
    {
        var json: [UInt8] = []
        for parameter in columns.parameters {
            let field = fields[parameter.column]
            if field.start == field.end { continue }
            guard let value = Self.string(field, in: text) else { return .notUTF8(column: parameter.name) }
            guard parameter.kind.accepts(value) else {
                return .wrongKind(column: parameter.name, wanted: parameter.kind.words)
            }
            json.append(json.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            json.append(contentsOf: parameter.key)
            JSONText.append(value, to: &json)
        }
        guard !json.isEmpty else { return nil }
        json.append(UInt8(ascii: "}"))
        guard json.count <= SubscriberLimits.parametersBytes else {
            return .parametersTooLong(bytes: json.count, limit: SubscriberLimits.parametersBytes)
        }
        record.parametersJSON = String(decoding: json, as: UTF8.self)
        return nil
    }

    private static func string(_ field: CSVScanner.Field, in text: borrowing Span<UInt8>) -> String? {
        if field.hasDoubledQuotes { return String(validating: field.bytes(in: text), as: UTF8.self) }
        guard let valid = try? UTF8Span(validating: text.extracting(field.start..<field.end)) else {
            return nil
        }
        return String(copying: valid)
    }
}
