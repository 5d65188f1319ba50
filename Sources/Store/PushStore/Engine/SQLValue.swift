/// A value in the form common to all engines.
enum SQLValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
    /// A device token to be bound: see ``StoredToken``. A column returns it as text or bytes.
    case token(String)
}

/// A type that can be bound to a parameter and read from a column.
protocol SQLConvertible {
    var sqlValue: SQLValue { get }
    /// Returns `nil` if the column's value has another type.
    init?(_ value: SQLValue)
}

extension SQLValue: SQLConvertible {
    var sqlValue: SQLValue { self }
    init?(_ value: SQLValue) { self = value }
}

extension Int64: SQLConvertible {
    var sqlValue: SQLValue { .integer(self) }
    init?(_ value: SQLValue) {
        guard case .integer(let integer) = value else { return nil }
        self = integer
    }
}

extension Int: SQLConvertible {
    var sqlValue: SQLValue { .integer(Int64(self)) }
    init?(_ value: SQLValue) {
        guard case .integer(let integer) = value, let number = Int(exactly: integer) else { return nil }
        self = number
    }
}

extension Bool: SQLConvertible {
    var sqlValue: SQLValue { .integer(self ? 1 : 0) }
    init?(_ value: SQLValue) {
        guard case .integer(let integer) = value else { return nil }
        self = integer != 0
    }
}

extension Double: SQLConvertible {
    var sqlValue: SQLValue { .real(self) }
    init?(_ value: SQLValue) {
        switch value {
        case .real(let number): self = number
        case .integer(let integer): self = Double(integer)
        case .null, .text, .bytes, .token: return nil
        }
    }
}

extension String: SQLConvertible {
    var sqlValue: SQLValue { .text(self) }
    init?(_ value: SQLValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension [UInt8]: SQLConvertible {
    var sqlValue: SQLValue { .bytes(self) }
    init?(_ value: SQLValue) {
        guard case .bytes(let bytes) = value else { return nil }
        self = bytes
    }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
    var sqlValue: SQLValue { self?.sqlValue ?? .null }
    init?(_ value: SQLValue) {
        guard value != .null else {
            self = .none
            return
        }
        guard let wrapped = Wrapped(value) else { return nil }
        self = .some(wrapped)
    }
}
