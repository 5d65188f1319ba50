package import PushModel

extension ParameterDeclaration {
    /// What of a device's parameters an app keeps where its operator has declared some: those, each of its
    /// kind. Others are left out, as Campaign leaves out what is mapped to no field. An empty value is none.
    /// A name that differs in how its letters are composed is the declared one, and is kept as that is written: texts
    /// ask for it by its bytes.
    package static func checked(
        _ given: [RegistrationParameter], against declared: [ParameterDeclaration]
    ) throws(RegistrationRefusal) -> [RegistrationParameter] {
        guard !declared.isEmpty else { return given }
        var kept: [RegistrationParameter] = []
        for parameter in given where !parameter.value.isEmpty {
            guard let declaration = declared.first(where: { $0.name == parameter.name }),
                !kept.contains(where: { $0.name == declaration.name })
            else { continue }
            guard declaration.kind.accepts(parameter.value) else {
                throw .parameter(name: declaration.name.printable(atMost: 64), wanted: declaration.kind.words)
            }
            kept.append(RegistrationParameter(name: declaration.name, value: parameter.value))
        }
        return kept.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}

extension ParameterDeclaration.Kind {
    package var words: String {
        switch self {
        case .text: "any text"
        case .number: "a number, like -12.5"
        case .date: "a date, like 2026-01-31 or 2026-01-31T08:30:00Z"
        case .boolean: "true or false"
        }
    }

    /// As the SDKs write values of their types, or as text that an app made.
    package func accepts(_ value: String) -> Bool {
        switch self {
        case .text: true
        case .number: Self.isNumber(Array(value.utf8))
        case .date: Self.isDate(value)
        case .boolean: value == "true" || value == "false"
        }
    }

    /// JSON's numbers, with a sign if need be: `3.14`, `1.0E10`, `-5`, `+7`, `007`.
    private static func isNumber(_ text: [UInt8]) -> Bool {
        guard text.count <= 64 else { return false }
        var rest = text[...]
        func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
        func isSign(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }
        func takeDigits() -> Bool {
            let before = rest.count
            rest = rest.drop(while: isDigit)
            return rest.count < before
        }
        if isSign(rest.first) { rest.removeFirst() }
        guard takeDigits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits() else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if isSign(rest.first) { rest.removeFirst() }
            guard takeDigits() else { return false }
        }
        return rest.isEmpty
    }

    /// A day of ISO 8601, or a moment in UTC. Days of birth lie before 1970, where POSIX time begins: the
    /// calendar repeats itself every 400 years.
    private static func isDate(_ value: String) -> Bool {
        let text = Array(value.utf8)
        guard (10...32).contains(text.count), text[..<4].allSatisfy({ (48...57).contains($0) }) else {
            return false
        }
        var year = text[..<4].reduce(0) { $0 * 10 + Int($1) - 48 }
        guard year > 0 else { return false }
        while year < 1970 { year += 400 }
        let rest = value.dropFirst(4)
        return WallTime(utc: "\(year)\(rest)" + (text.count == 10 ? "T00:00:00Z" : "")) != nil
    }
}
