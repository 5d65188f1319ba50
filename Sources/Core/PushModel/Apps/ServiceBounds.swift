/// The services whose objects a caller sees and changes.
package struct ServiceBounds: Equatable, Sendable {
    /// The bounds of a caller that sees and changes everything.
    package static let unbound = ServiceBounds(services: nil)

    /// The services; `nil` if the caller is not bound to services. An empty set permits nothing.
    package let services: Set<ServiceID>?

    private init(services: Set<ServiceID>?) { self.services = services }

    package init(_ services: Set<ServiceID>) { self.init(services: services) }

    package var areSet: Bool { services != nil }

    package func admit(_ service: ServiceID) -> Bool { services?.contains(service) ?? true }
}
