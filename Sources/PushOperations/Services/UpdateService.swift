internal import PushModel
internal import PushStore

/// Changes what people call a service. Its name stays: documents name it.
package struct UpdateService: ChangingOperation {
    package static let name = "service.update"
    package var lookAfterwards: String { "service list" }

    package var name: String
    package var label: String

    package init(name: String, label: String) {
        self.name = name
        self.label = label
    }

    package func perform(in operations: Operations) throws -> ServiceView {
        try NameRule.check(label: label, "the label")
        let service = try operations.requireService(named: name)
        let writer = operations.store.catalogueWriter(key: try operations.key())
        let updated = try writer.updateService(named: service.name, label: label)
        return ServiceView(updated, apps: try operations.store.catalogue.apps())
    }
}
