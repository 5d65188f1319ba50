import pushsink

/// Requests for tests, valid unless a test changes them.
struct Draft {
    static let token = String(repeating: "0123456789abcdef", count: 4)

    var fields: [(RequestField, String)] = [
        (.method, "POST"),
        (.path, "/3/device/\(token)"),
        (.topic, "com.example.app"),
        (.pushType, "alert"),
        (.priority, "10"),
        (.expiration, "1795000000"),
        (.identifier, "6ba7b810-9dad-81d1-80b4-00c04fd430c8"),
    ]
    var body = Array(#"{"aps":{"alert":"x"}}"#.utf8)

    /// Returns the same request with another value of this field, or without the field if the value is `nil`.
    func with(_ field: RequestField, _ value: String?) -> Draft {
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

    func repeating(_ field: RequestField, _ value: String) -> Draft {
        var draft = self
        draft.fields.append((field, value))
        return draft
    }

    /// Calls `judge` with the request, which is valid only within this call.
    func withRequest<Result>(_ judge: (HTTPRequest) throws -> Result) rethrows -> Result {
        let made = SyntheticRequest()
        for (field, value) in fields { made.add(field, value) }
        made.add(body: body)
        return try withExtendedLifetime(made) { try judge(made.request) }
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
