internal import HTTPTypes
internal import PushModel
internal import PushOperations
internal import PushWire

extension APIRoute {
    static let apps = [
        APIRoute(
            .get, "/apps", .read, "All apps, or those of a service.", query: [.text("service")],
            answer: .page(of: AppView.schema), .done { try $0.list(ListApps(service: $0.query["service"])) }),
        APIRoute(
            .post, "/apps", .admin, "Makes an app with its connection settings.", body: .named("NewApp"),
            mostBodyBytes: bodyWithIcon, status: .created, answer: AppChange.schema,
            .done { call in
                let body = try RequestBody(call.body)
                var order = try body.read(
                    CreateApp.self, allowed: newAppKeys, given: withoutCredential,
                    absent: lists("variables", "sounds", "parameters")
                        + [JSONMember(key: "pair", value: .boolean(false))])
                order.credential = try credential(of: body)
                let change = try call.operations.carryOut(order)
                return made("/apps", change.app.name, try JSONValue(encoding: change))
            }),
        APIRoute(
            .get, "/apps/{name}", .read, "One app.", answer: AppDetails.schema,
            .done { try $0.carryOut(ShowApp(name: $0.name("name"))) }),
        APIRoute(
            .patch, "/apps/{name}", .admin, "Changes what is named; the rest stays.",
            body: .named("ChangedApp"), mostBodyBytes: bodyWithIcon, answer: AppChange.schema,
            .done { call in
                let body = try RequestBody(call.body)
                var order = try body.read(
                    UpdateApp.self, allowed: changedAppKeys, given: call.given("name") + withoutCredential,
                    absent: lists(
                        "variables", "removedVariables", "sounds", "removedSounds", "parameters",
                        "removedParameters") + [
                            JSONMember(key: "liveDeliveries", value: .boolean(false)),
                            JSONMember(key: "removesIcon", value: .boolean(false)),
                        ])
                order.credential = try credential(of: body)
                return try call.carryOut(order)
            }),
        APIRoute(
            .get, "/apps/{name}/icon", .read, "An app's icon; 404 where it has none.",
            answer: ShowAppIcon.Answer.schema,
            .done { try $0.carryOut(ShowAppIcon(name: $0.name("name"))) }),
        APIRoute(
            .delete, "/apps/{name}", .admin, "Deletes an app with its credential and its subscribers.",
            answer: DeletedApp.schema, .long { DeleteApp(name: $0.name("name")) }),
    ]

    static let newAppKeys = [
        "name", "service", "platform", "integrationKey", "connector", "environment", "bundleId", "variables",
        "sounds", "parameters", "messageIdFormat", "credential", "label", "icon", "pair",
    ]
    /// Of base64, beside what else there is.
    private static let bodyWithIcon = smallBody + AppIcon.maximumBytes * 4 / 3 + 4
    static let changedAppKeys = [
        "integrationKey", "bundleId", "connector", "environment", "variables", "removedVariables", "sounds",
        "removedSounds", "parameters", "removedParameters", "messageIdFormat", "liveDeliveries", "credential",
        "label", "icon", "removesIcon",
    ]

    /// Its form here is not the one that travels between our processes.
    private static let withoutCredential = [JSONMember(key: "credential", value: .null)]

    private static func credential(of body: RequestBody) throws(OperationError) -> CredentialFile? {
        guard let document = body["credential"], document != .null else { return nil }
        return try CredentialFile(document: document)
    }

    private static func lists(_ keys: String...) -> [JSONMember] {
        keys.map { JSONMember(key: $0, value: .array([])) }
    }

    private static func made(_ folder: String, _ name: String, _ value: JSONValue) -> APIAnswer {
        APIAnswer(value, location: "\(folder)/\(APIAddress.encoded(name))")
    }
}
