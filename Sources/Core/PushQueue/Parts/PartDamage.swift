/// The reason why bytes or columns of the store are not a valid part. The part must be set aside; everything
/// else continues.
package struct PartDamage: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Piece: String, Sendable {
        case contents, members, states, progress, causes, deadSince = "dead since"
        case events, variables
    }

    package enum Fault: Equatable, Sendable {
        /// The first byte names a layout that this version does not know.
        case unknownLayout
        /// The bytes end within a value.
        case truncated
        /// Bytes follow the last value.
        case trailing
        /// A number is too large, or is not in its shortest form.
        case number
        /// There are more messages than a part may have.
        case tooMany
        /// The number of messages differs from that of the part.
        case count
        /// A code is not a message state.
        case state
        /// The form is not the one that this version writes: for example, equal neighbours or an empty field.
        case form
        /// A subscription's number is below 0.
        case negative
        /// A column disagrees with the states.
        case disagrees(column: String)
        /// A code occurs twice, is missing, or must not be assigned.
        case code
    }

    package let piece: Piece
    package let fault: Fault
    /// The number of bytes before the fault; `nil` if the fault is not in bytes.
    package let offset: Int?

    package init(_ piece: Piece, _ fault: Fault, at offset: Int? = nil) {
        self.piece = piece
        self.fault = fault
        self.offset = offset
    }

    package var description: String { "a damaged part \(detail)" }

    /// The damaged piece, the position and the fault. Also used for rows that do not belong to a part.
    package var detail: String {
        let place = offset.map { ", byte \($0)" } ?? ""
        return "(\(piece.rawValue)\(place)): \(fault.text)"
    }
}

extension PartDamage.Fault {
    fileprivate var text: String {
        switch self {
        case .unknownLayout: "a layout unknown to this version"
        case .truncated: "the data is truncated"
        case .trailing: "the data continues after its end"
        case .number: "a malformed number"
        case .tooMany: "more than \(PartLimits.messages) messages"
        case .count: "a number of messages that differs from the part's"
        case .state: "an unknown message state"
        case .form: "a value that is not in canonical form"
        case .negative: "a negative number"
        case .disagrees(let column): "\(column) does not match the states"
        case .code: "a duplicate, missing or reserved cause code"
        }
    }
}

package enum PartLimits {
    /// The maximum number of messages in one part: the number of rows that one transaction may touch, less a
    /// margin for its counters.
    package static let messages = 4_900
}
