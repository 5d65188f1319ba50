internal import PushOperations

/// What stands in a request's query under one name: ``APIDocument`` says it, ``APICall`` reads it.
enum APIParameter: Sendable {
    case text(String)
    case number(APINumber)
    /// Where a page begins: what `next` of the page before says.
    case cursor
    /// `true` or `false`; absent is `false`.
    case flag(String)
    /// A member of a use case.
    case declared(Declaration)

    /// Of a cursor.
    static let cursors = 0...Int.max

    var name: String {
        switch self {
        case .text(let name), .flag(let name): name
        case .number(let number): number.name
        case .cursor: "cursor"
        case .declared(let declaration): declaration.name
        }
    }

    var schema: Schema {
        switch self {
        case .text: .string
        case .number(let number): .integers(number.range, default: number.standard)
        case .cursor: .integers(Self.cursors)
        case .flag: .boolean
        case .declared(let declaration): declaration.schema
        }
    }
}

/// A whole number in a query.
struct APINumber: Sendable {
    let name: String
    /// What is beyond is refused.
    let range: ClosedRange<Int>
    /// What holds where it is absent.
    let standard: Int

    init(_ name: String, in range: ClosedRange<Int>, default standard: Int) {
        self.name = name
        self.range = range
        self.standard = standard
    }
}
