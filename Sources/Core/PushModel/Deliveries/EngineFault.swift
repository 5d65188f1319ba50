/// The violation of a guarantee that one part of the engine gives to another, as one of the two parts
/// detected it. A violation is a bug in the program, not a problem of the input, a gateway or the disk. The
/// item that violates the guarantee is left out, and its delivery is put on hold. Everything else continues.
package struct EngineFault: Equatable, Sendable, CustomStringConvertible {
    /// The two parts. The one that gives the guarantee comes first.
    package enum Boundary: String, Sendable, CaseIterable {
        /// A child reports outcomes only for messages that were granted to it, and only one for each message.
        case grantAndOutcome = "grant_outcome"
        /// The master records outcomes only for messages that belong to the delivery.
        case outcomeAndPart = "outcome_part"
        /// A host records outcomes only for parts that no other host has.
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
