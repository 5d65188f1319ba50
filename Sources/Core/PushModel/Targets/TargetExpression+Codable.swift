/// The format in which the store keeps expressions: `{"and": […]}`, `{"or": […]}`, `{"not": …}`, and
/// `{"parameter": "city", "=": "Paris"}` for one parameter, with `in` and `exists` in the same form. A date
/// is `{"date": "-7d"}`. Unlike in a document, a parameter may have any name.
extension TargetExpression: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        static let (and, or, not) = (Key("and"), Key("or"), Key("not"))
        static let (parameter, oneOf, exists) = (Key("parameter"), Key("in"), Key("exists"))
        private init(_ name: String) { stringValue = name }
        init(_ comparison: TargetComparison) { stringValue = comparison.rawValue }
    }

    /// A depth that no stored expression reaches. Reading a deeper expression would use too much of a
    /// thread's stack. One level of the document adds up to four names and indices to the coding path.
    private static let deepest = maximumDepth * 6

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        func damage() -> DecodingError {
            DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no expression"))
        }
        guard decoder.codingPath.count <= Self.deepest else { throw damage() }
        if values.contains(.and) {
            self = .and(try values.decode([TargetExpression].self, forKey: .and))
        } else if values.contains(.or) {
            self = .or(try values.decode([TargetExpression].self, forKey: .or))
        } else if values.contains(.not) {
            self = .not(try values.decode(TargetExpression.self, forKey: .not))
        } else {
            let name = try values.decode(String.self, forKey: .parameter)
            if values.contains(.oneOf) {
                self = .oneOf(name, try values.decode([TargetValue].self, forKey: .oneOf))
            } else if values.contains(.exists) {
                self = .exists(name, try values.decode(Bool.self, forKey: .exists))
            } else {
                let found = TargetComparison.allCases.first { values.contains(Key($0)) }
                guard let found else { throw damage() }
                self = .compare(name, found, try values.decode(TargetValue.self, forKey: Key(found)))
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .and(let parts): try values.encode(parts, forKey: .and)
        case .or(let parts): try values.encode(parts, forKey: .or)
        case .not(let part): try values.encode(part, forKey: .not)
        case .compare(let name, let comparison, let value):
            try values.encode(name, forKey: .parameter)
            try values.encode(value, forKey: Key(comparison))
        case .oneOf(let name, let wanted):
            try values.encode(name, forKey: .parameter)
            try values.encode(wanted, forKey: .oneOf)
        case .exists(let name, let isThere):
            try values.encode(name, forKey: .parameter)
            try values.encode(isThere, forKey: .exists)
        }
    }
}

extension TargetValue: Codable {
    private enum DateKey: CodingKey { case date }

    package init(from decoder: any Decoder) throws {
        if let values = try? decoder.container(keyedBy: DateKey.self) {
            guard let date = TargetDate(try values.decode(String.self, forKey: .date)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .date, in: values, debugDescription: "not a date")
            }
            self = .date(date)
            return
        }
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = TargetValue.number(try value.decode(Double.self)) {
            self = number
        } else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "not a finite number")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        func encode(_ single: some Encodable) throws {
            var value = encoder.singleValueContainer()
            try value.encode(single)
        }
        switch self {
        case .text(let text): try encode(text)
        case .integer(let integer): try encode(integer)
        case .real(let real): try encode(real)
        case .boolean(let boolean): try encode(boolean)
        case .date(let date):
            var values = encoder.container(keyedBy: DateKey.self)
            try values.encode(date.text, forKey: .date)
        }
    }
}
