package import PushModel

/// What an operator says of a service, apart from its name. Creation, changes and views share it.
package struct ServiceFields: Members, Equatable {
    /// nil: the service's name.
    package var label: String?
    package var frequencyCap: FrequencyCap?

    package init() {}

    package init(label: String? = nil, frequencyCap: FrequencyCap? = nil) {
        self.label = label
        self.frequencyCap = frequencyCap
    }

    init(_ service: Service) {
        self.init(label: service.label, frequencyCap: service.frequencyCap)
    }

    package static let members: [Member<Self>] = [
        .field(\.label, "label", "What people call the service. Default: its name."),
        .field(
            \.frequencyCap, "frequencyCap",
            "How many messages each device may be sent, such as `3 in 7d`. Null: any number."),
    ]

    func check() throws(OperationError) {
        if let label { try NameRule.check(label: label, "the label") }
    }
}
