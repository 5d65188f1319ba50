/// The values of a serverConf.xml element that belongs to one gateway. An instance without values represents
/// a file without the element.
package protocol GatewaySection: Equatable, Sendable {
    init()
}

/// The sections of the gateways, keyed by type. A gateway extends ``NMACConfiguration`` with a property for
/// each of its sections. ``ConfigurationKey``s set the values in the sections.
package struct GatewaySections: Equatable, Sendable {
    private var sections: [ObjectIdentifier: any GatewaySection] = [:]

    package subscript<Section: GatewaySection>(_ type: Section.Type) -> Section {
        get { sections[ObjectIdentifier(type)] as? Section ?? Section() }
        set { sections[ObjectIdentifier(type)] = newValue }
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.sections.values.allSatisfy { $0.isSame(in: other) }
            && other.sections.values.allSatisfy { $0.isSame(in: one) }
    }
}

extension GatewaySection {
    fileprivate func isSame(in sections: GatewaySections) -> Bool { sections[Self.self] == self }
}
