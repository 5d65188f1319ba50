internal import PushModel
internal import PushOperations
internal import PushWire

extension Schema {
    static let deliveries: [(name: String, schema: Schema)] = [
        ("DeliveryDocument", deliveryDocument),
        ("TemplateDocument", templateDocument),
        ("DeliveryTarget", deliveryTarget),
        ("TargetExpression", targetExpression),
        ("TargetComparison", targetComparison),
        ("Content", content),
        ("ContentOfLanguage", contentOfLanguage),
        ("IOSContent", iosContent),
        ("AndroidContent", androidContent),
        ("NewMessage", newMessage),
    ]

    private static let newMessage: Schema = .object(
        [
            .init("app", .string, isRequired: false),
            .init("service", .string, isRequired: false, about: "with all of its apps"),
            .init("token", .string, isRequired: false, about: "one device"),
            .init("userKey", .string, isRequired: false, about: "all devices of a person"),
            .init("template", templateReference, isRequired: false),
            .init("content", .named("Content"), isRequired: false, about: "needed without a template"),
            .init("priority", .words(["veryLow", "low", "normal", "high", "veryHigh"]), isRequired: false),
            .init(
                "validity", .string, isRequired: false, about: "a number with s, m, h or d; 0: one attempt"),
            .init("idempotencyKey", .key(longest: RequestKey.longest), isRequired: false),
        ], oneOfEach: [["app", "service"], ["token", "userKey"]])
}
