package import PushModel

/// Converts the fields of one row to a ``PushModel/SubscriberRecord``.
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
    /// - Returns: The fault of the row, or `nil` if there is none.
    mutating func read(_ fields: [CSVScanner.Field], in text: borrowing Span<UInt8>) -> RowFault? {
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
        if let column = columns.language, let fault = readLanguage(fields[column], in: text) { return fault }
        return columns.parameters.isEmpty ? nil : readParameters(fields, in: text)
    }

    private mutating func readToken(_ field: CSVScanner.Field, in text: borrowing Span<UInt8>) -> RowFault? {
        if field.start == field.end { return .emptyToken }
        let form = DeviceToken.check(text.extracting(field.start..<field.end), for: platform)
        guard form != .invalid, !field.hasDoubledQuotes, let spelled = Self.string(field, in: text),
            let token = form == .canonical ? spelled : DeviceToken.canonical(spelled, for: platform)
        else { return .invalidToken(allowed: DeviceToken.allowed(for: platform)) }
        record.token = token
        return nil
    }

    private mutating func readLanguage(_ field: CSVScanner.Field, in text: borrowing Span<UInt8>)
        -> RowFault?
    {
        guard let language = Self.string(field, in: text) else {
            return .notUTF8(column: CollectedFact.osLanguage.rawValue)
        }
        guard SubscriberLimits.acceptsLanguage(language) else { return .invalidLanguage }
        record.language = language
        return nil
    }

    private mutating func readParameters(_ fields: [CSVScanner.Field], in text: borrowing Span<UInt8>)
        -> RowFault?
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

extension SubscriberRecord {
    /// Creates the record of an individual subscriber, after checking it like a row of a file. Parameters
    /// with empty values are left out. If no parameters remain, the record does not specify any.
    /// - Parameters:
    ///   - declared: The parameters that the app accepts; empty if it accepts any.
    ///   - report: Called for each fault, with the member and the problem. Neither contains a value.
    /// - Returns: `nil` if there is a fault.
    package init?(
        token: String, userKey: String, language: String = "",
        parameters: [(name: String, value: String)], of platform: Platform,
        declared: [ParameterDeclaration], report: (_ member: String, _ problem: String) -> Void
    ) {
        let canonical = DeviceToken.canonical(token, for: platform)
        if canonical == nil { report("token", "must be \(DeviceToken.allowed(for: platform))") }
        let keyProblem = Self.problem(ofUserKey: userKey)
        if let keyProblem { report("userKey", keyProblem) }
        let isLanguage = SubscriberLimits.acceptsLanguage(language)
        if !isLanguage {
            report(CollectedFact.osLanguage.rawValue, "must have \(SubscriberLimits.languageWords)")
        }
        let checked = parameters.map { name, value in
            let checked = Self.checked(name, value, declared)
            if case .failure(let fault) = checked { report(fault.member, fault.problem) }
            return checked
        }
        let given = checked.compactMap { try? $0.get() }
        let text = ParameterText.json(
            given.filter { !$0.value.isEmpty }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        let bytes = text?.utf8.count ?? 0
        let isTooLong = bytes > SubscriberLimits.parametersBytes
        if isTooLong {
            report("parameters", "have \(bytes) bytes; the maximum is \(SubscriberLimits.parametersBytes)")
        }
        let areRepeated = Set(given.map(\.name)).count < given.count
        if areRepeated { report("parameters", "must not contain a name twice") }
        guard let canonical, keyProblem == nil, isLanguage, given.count == parameters.count, !isTooLong,
            !areRepeated
        else { return nil }
        self.init(token: canonical, userKey: userKey, parametersJSON: text, language: language)
    }

    private struct ParameterFault: Error {
        var member: String
        var problem: String
    }

    private static func problem(ofUserKey key: String) -> String? {
        if key.utf8.count > SubscriberLimits.userKeyBytes {
            return "has \(key.utf8.count) bytes; the maximum is \(SubscriberLimits.userKeyBytes)"
        }
        return key.utf8.contains(0) ? "must not contain a zero byte" : nil
    }

    private static func checked(
        _ name: String, _ value: String, _ declared: [ParameterDeclaration]
    ) -> Result<RegistrationParameter, ParameterFault> {
        let member = "parameters.\(name.printable(atMost: 64))"
        func fault(_ problem: String) -> Result<RegistrationParameter, ParameterFault> {
            .failure(ParameterFault(member: member, problem: problem))
        }
        // A file could not have a parameter column with such a name.
        if name.isEmpty || [SubscriberColumns.tokenName, SubscriberColumns.userKeyName].contains(name) {
            return fault("not allowed as the name of a parameter")
        }
        if name.utf8.contains(0) || value.utf8.contains(0) { return fault("must not contain a zero byte") }
        guard !declared.isEmpty else { return .success(RegistrationParameter(name: name, value: value)) }
        guard let parameter = declared.first(where: { $0.name == name }) else {
            let known = declared.map { "\($0.name):\($0.kind.rawValue)" }.joined(separator: ", ")
            return fault("unknown; the app declares \(known)")
        }
        guard value.isEmpty || parameter.kind.accepts(value) else {
            return fault("must be \(parameter.kind.words)")
        }
        // Uses the declared spelling if the letters are composed differently, because texts refer to the
        // parameter by the bytes of its name.
        return .success(RegistrationParameter(name: parameter.name, value: value))
    }
}
