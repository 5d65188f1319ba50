internal import PushWire

extension APISchema {
    static let templates: [(name: String, schema: APISchema)] = [
        ("TemplateDocument", templateDocument),
        ("TemplateSummary", templateSummary),
        ("Template", template),
        ("SavedTemplate", savedTemplate),
    ]

    /// The name for the newest version.
    static let templateReference: APISchema = .oneOf([
        .string,
        .object([.init("name", .string), .init("version", templateVersion, isRequired: false)]),
    ])

    static let templateVersion: APISchema = .integers(
        Int(TemplateReference.versions.lowerBound)...Int(TemplateReference.versions.upperBound))

    private static let templateDocument: APISchema = .object([
        .init("content", .named("Content")),
        .init("schedule", .object(scheduleMembers), isRequired: false),
        .init("retry", retry, isRequired: false),
        .init("tracking", .boolean, isRequired: false),
    ])

    private static let templateSummary: APISchema = .object([
        .init("name", .string),
        .init("service", .string),
        .init("version", .integer, about: "the newest"),
        .init("created", .time),
        .init("versions", .integer, about: "how many are kept"),
    ])

    private static let template: APISchema = .object([
        .init("name", .string),
        .init("service", .string),
        .init("version", .integer),
        .init("created", .time),
        .init("oldestVersion", .integer),
        .init("newestVersion", .integer),
        .init("document", .named("TemplateDocument")),
    ])

    private static let savedTemplate: APISchema = .object([
        .init("name", .string),
        .init("service", .string),
        .init("version", .integer),
        .init("changed", .boolean, about: "false: the newest version says the same"),
        .init("warnings", .list(.string)),
    ])
}
