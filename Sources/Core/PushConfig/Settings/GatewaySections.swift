/// An element of serverConf.xml that belongs to one gateway, as values. Without any, it is a file that does not have it.
package protocol GatewaySection: Equatable, Sendable {
    init()
}

/// The gateways' sections, each by its type. The gateway extends ``NMACConfiguration`` by a property for each of its
/// sections; ``ConfigurationKey``s set what is in it.
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
