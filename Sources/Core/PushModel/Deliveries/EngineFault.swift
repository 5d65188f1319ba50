/// A guarantee of one part of the engine that another part found broken: a fault of this program, not of input, of a
/// gateway or of the disk. What broke it is left out, and its delivery is held; everything else continues.
package struct EngineFault: Equatable, Sendable, CustomStringConvertible {
    /// The two parts, the one that guarantees first.
    package enum Boundary: String, Sendable, CaseIterable {
        /// A child reports outcomes of messages that it was granted, each once.
        case grantAndOutcome = "grant_outcome"
        /// The master records outcomes of messages that are the delivery's.
        case outcomeAndPart = "outcome_part"
        /// A host records outcomes of parts that no other host has.
        case leaseAndWrite = "lease_write"
    }

    package let boundary: Boundary
    /// nil: it is not known, or is not to be held.
    package let delivery: DeliveryID?
    /// Without tokens and payloads.
    package let evidence: String

    package init(_ boundary: Boundary, of delivery: DeliveryID? = nil, _ evidence: String) {
        (self.boundary, self.delivery, self.evidence) = (boundary, delivery, evidence)
    }

    package var description: String { "engine fault (\(boundary.rawValue)): \(evidence)" }
}
