internal import PushStore

/// Creates an information service of type mobile app. Refuses a second one of that name.
package struct CreateService: ChangingOperation {
    package static let name = "service.create"
    package var lookAfterwards: String { "service list" }

    package var name: String
    /// What people call it; nil is the name.
    package var label: String?

    package init(name: String, label: String? = nil) {
        self.name = name
        self.label = label
    }

    package func perform(in operations: Operations) throws -> ServiceView {
        try NameRule.check(name, "the service's name")
        if let label { try NameRule.check(label: label, "the label") }
        let writer = operations.store.catalogueWriter(key: try operations.key())
        return ServiceView(try writer.createService(name: name, label: label ?? name), apps: [])
    }
}
