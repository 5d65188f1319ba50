internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRoute {
    static let templates = [
        APIRoute(
            .get, "/services/{service}/templates", .read, "A service's templates, by name.",
            answer: .page(of: TemplateSummaryView.schema),
            .done { try $0.list(ListTemplates(service: $0.name("service"))) }),
        APIRoute(
            .get, "/services/{service}/templates/{name}", .read, "What a template's newest version says.",
            answer: TemplateView.schema, .done { try show($0) }),
        APIRoute(
            .put, "/services/{service}/templates/{name}", .admin,
            "Saves a template as the next version; what the newest says already makes none.",
            body: .named("TemplateDocument"), mostBodyBytes: TemplateDocument.maximumBytes,
            answer: SavedTemplate.schema,
            .done { call in
                let order = SaveTemplate(
                    name: call.name("name"), service: call.name("service"), document: call.body,
                    documentName: "body")
                return APIAnswer(try JSONValue(encoding: try call.operations.carryOut(order)))
            }),
        APIRoute(
            .delete, "/services/{service}/templates/{name}", .admin,
            "Deletes a template; what was submitted keeps its own content.",
            answer: DeletedTemplate.schema,
            .done { call in
                let order = DeleteTemplate(
                    name: call.name("name"), service: call.name("service"))
                return APIAnswer(try JSONValue(encoding: try call.operations.carryOut(order)))
            }),
        APIRoute(
            .get, "/services/{service}/templates/{name}/versions/{version}", .read,
            "What one version of it says.", places: ["version": Schema.templateVersion],
            answer: TemplateView.schema,
            .done { call in
                let text = call.name("version")
                guard let version = Int64(text), TemplateReference.versions.contains(version),
                    !text.hasPrefix("+")
                else {
                    throw OperationError.absent(
                        "there is no version \(text.printable(atMost: 32)); versions are numbers from 1")
                }
                return try show(call, version: version)
            }),
    ]

    private static func show(_ call: APICall, version: Int64? = nil) throws -> APIAnswer {
        try call.carryOut(
            ShowTemplate(name: call.name("name"), service: call.name("service"), version: version))
    }
}
