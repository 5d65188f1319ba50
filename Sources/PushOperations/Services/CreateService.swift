internal import PushStore

/// Creates an information service of type mobile app. Refuses a second one of that name.
package struct CreateService: ChangingOperation {
    package static let name = "service.create"
    package var lookAfterwards: String { "service list" }

    package var name: String
    /// What people call it; nil is the name.
    package var label: String?

    /// Such as `3 in 7d`, or `none`; nil is none. See ``FrequencyCapText``.
    package var frequencyCap: String?

    package init(name: String, label: String? = nil, frequencyCap: String? = nil) {
        self.name = name
        self.label = label
        self.frequencyCap = frequencyCap
    }

    package func perform(in operations: Operations) throws -> ServiceView {
        try NameRule.check(addressed: name, "the service's name")
        if let label { try NameRule.check(label: label, "the label") }
        let cap = try frequencyCap.flatMap(FrequencyCapText.cap)
        let writer = operations.store.catalogueWriter(key: try operations.key())
        let service = try writer.createService(name: name, label: label ?? name, frequencyCap: cap)
        return ServiceView(service, apps: [])
    }
}
