internal import PushOperations

extension Schema {
    /// Components without a type: what callers send.
    static let components = registry + deliveries

    static let registry: [(name: String, schema: Schema)] = [
        ("Problem", problem)
    ]

    private static let problem: Schema = .object([
        .init("type", .string),
        .init("title", .string),
        .init("status", .integer),
        .init("detail", .string),
        .init("errors", .list(.string)),
    ])
}
