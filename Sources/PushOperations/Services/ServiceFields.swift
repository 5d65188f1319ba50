package import PushModel

/// What an operator says of a service, apart from its name. Creation, changes and views share it.
package struct ServiceFields: Members, Equatable {
    /// nil: the service's name.
    package var label: String?
    package var frequencyCap: FrequencyCap?

    package init() {}

    init(_ service: Service) { (label, frequencyCap) = (service.label, service.frequencyCap) }

    func apply(to service: inout Service) {
        service.label = label ?? service.name
        service.frequencyCap = frequencyCap
    }

    package static let members: [Member<Self>] = [
        .field(\.label, "label", "What people call the service. Default: its name."),
        .field(
            \.frequencyCap, "frequencyCap",
            "How many messages each device may be sent, such as `3 in 7d`. Null: any number."),
    ]

    /// For a request that changes none of them.
    static let names = declarations.map(\.name).joined(separator: " or ")

    func check() throws(OperationError) {
        if let label { try NameRule.check(label: label, "the label") }
    }
}
