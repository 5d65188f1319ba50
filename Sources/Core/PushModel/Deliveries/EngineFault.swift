/// A violated guarantee between two parts of the engine, as one of the parts detected it. A violation is a
/// bug in the program, not a problem of the input, a gateway or the disk. The item that violates the
/// guarantee is left out, and its delivery is put on hold. Everything else continues.
package struct EngineFault: Equatable, Sendable, CustomStringConvertible {
    /// The two parts. The one that gives the guarantee comes first.
    package enum Boundary: String, Sendable, CaseIterable {
        /// A child reports outcomes only of messages that it was granted, each once.
        case grantAndOutcome = "grant_outcome"
        /// The master records outcomes only of messages that belong to the delivery.
        case outcomeAndPart = "outcome_part"
        /// A host records outcomes only of parts that no other host has.
        case leaseAndWrite = "lease_write"
    }

    package let boundary: Boundary
    /// The delivery to put on hold; `nil` if it is unknown or must not be put on hold.
    package let delivery: DeliveryID?
    /// The evidence, without tokens and payloads.
    package let evidence: String

    package init(_ boundary: Boundary, of delivery: DeliveryID? = nil, _ evidence: String) {
        (self.boundary, self.delivery, self.evidence) = (boundary, delivery, evidence)
    }

    package var description: String { "engine fault (\(boundary.rawValue)): \(evidence)" }
}
