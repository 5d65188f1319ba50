internal import PushOperations
internal import PushWire

extension Schema {
    static let templates: [(name: String, schema: Schema)] = [
        ("TemplateDocument", templateDocument),
        ("TemplateSummary", templateSummary),
        ("Template", template),
        ("SavedTemplate", savedTemplate),
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

    private static let templateSummary: Schema = .object([
        .init("name", .string),
        .init("service", .string),
        .init("version", .integer, about: "the newest"),
        .init("created", .time),
        .init("versions", .integer, about: "how many are kept"),
    ])

    private static let template: Schema = .object([
        .init("name", .string),
        .init("service", .string),
        .init("version", .integer),
        .init("created", .time),
        .init("oldestVersion", .integer),
        .init("newestVersion", .integer),
        .init("document", .named("TemplateDocument")),
    ])

    private static let savedTemplate: Schema = .object([
        .init("name", .string),
        .init("service", .string),
        .init("version", .integer),
        .init("changed", .boolean, about: "false: the newest version says the same"),
        .init("warnings", .list(.string)),
    ])
}
