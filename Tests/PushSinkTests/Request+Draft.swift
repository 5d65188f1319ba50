import pushsink

/// Requests for tests, good until told otherwise.
struct Draft {
    static let token = String(repeating: "0123456789abcdef", count: 4)

    var fields: [(APNsField, String)] = [
        (.method, "POST"),
        (.path, "/3/device/\(token)"),
        (.topic, "com.example.app"),
        (.pushType, "alert"),
        (.priority, "10"),
        (.expiration, "1795000000"),
        (.identifier, "6ba7b810-9dad-81d1-80b4-00c04fd430c8"),
    ]
    var body = Array(#"{"aps":{"alert":"x"}}"#.utf8)

    /// The same with another value of that field; nil: without it.
    func with(_ field: APNsField, _ value: String?) -> Draft {
        var draft = self
        draft.fields.removeAll { $0.0 == field }
        if let value { draft.fields.append((field, value)) }
        return draft
    }

    func with(body: String) -> Draft {
        var draft = self
        draft.body = Array(body.utf8)
        return draft
    }

    func repeating(_ field: APNsField, _ value: String) -> Draft {
        var draft = self
        draft.fields.append((field, value))
        return draft
    }

    func made() -> RequestDraft {
        RequestDraft(fields: fields.map { ($0.0.rawValue, $0.1) }, body: body)
    }
}

extension Array where Element == UInt8 {
    func asBytes<Result>(_ body: (Bytes) throws -> Result) rethrows -> Result {
        try withUnsafeBufferPointer { try body($0) }
    }
}

extension String {
    func asBytes<Result>(_ body: (Bytes) throws -> Result) rethrows -> Result {
        try Array(utf8).asBytes(body)
    }
}
