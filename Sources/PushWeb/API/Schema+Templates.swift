internal import PushOperations
internal import PushWire

extension Schema {
    static let templates: [(name: String, schema: Schema)] = [
        ("TemplateDocument", templateDocument),
    ]

    /// The name for the newest version.
    static let templateReference: Schema = .oneOf([
        .string,
        .object([.init("name", .string), .init("version", templateVersion, isRequired: false)]),
    ])

    static let templateVersion: Schema = .integers(
        Int(TemplateReference.versions.lowerBound)...Int(TemplateReference.versions.upperBound))

    private static let templateDocument: Schema = .object([
        .init("content", .named("Content")),
        .init("schedule", .object(scheduleMembers), isRequired: false),
        .init("retry", retry, isRequired: false),
        .init("tracking", .boolean, isRequired: false),
    ])
}
