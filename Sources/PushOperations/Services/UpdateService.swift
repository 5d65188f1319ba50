internal import PushModel
internal import PushStore

/// Changes what people call a service, and how many messages its devices may be sent. Its name stays: documents
/// name it. Deliveries that are prepared from now on heed the cap as it is then.
package struct UpdateService: ChangingOperation {
    package static let name = "service.update"
    package var lookAfterwards: String { "service list" }

    package var name: String
    /// nil keeps it.
    package var label: String?
    /// Such as `3 in 7d`, or `none`; nil keeps it. See ``FrequencyCapText``.
    package var frequencyCap: String?

    package init(name: String, label: String? = nil, frequencyCap: String? = nil) {
        self.name = name
        self.label = label
        self.frequencyCap = frequencyCap
    }

    package func perform(in operations: Operations) throws -> ServiceView {
        guard label != nil || frequencyCap != nil else {
            throw OperationError.refused("nothing to change: give a label or a frequency cap")
        }
        if let label { try NameRule.check(label: label, "the label") }
        let cap = try frequencyCap.map(FrequencyCapText.cap)
        let service = try operations.requireService(named: name)
        let writer = operations.store.catalogueWriter(key: try operations.key())
        let updated = try writer.updateService(named: service.name, label: label, frequencyCap: cap)
        return ServiceView(updated, apps: try operations.store.catalogue.apps())
    }
}
