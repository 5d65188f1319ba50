/// Why bytes or columns of the store are no part: it is to be set aside, and everything else goes on.
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
        /// A number that is too large, or longer than it need be.
        case number
        /// More messages than a part may have.
        case tooMany
        /// Another count of messages than the part has.
        case count
        /// A code that is no message state.
        case state
        /// What this version would have written otherwise: neighbours that are equal, a field that is empty.
        case form
        /// A subscription's number below 0.
        case negative
        /// A column that disagrees with the states.
        case disagrees(column: String)
        /// A code that is taken twice, left out, or not to be given.
        case code
    }

    package let piece: Piece
    package let fault: Fault
    /// Bytes before the fault; nil: it is not in bytes.
    package let offset: Int?

    package init(_ piece: Piece, _ fault: Fault, at offset: Int? = nil) {
        self.piece = piece
        self.fault = fault
        self.offset = offset
    }

    package var description: String { "a damaged part \(detail)" }

    /// Which piece, where and what: of a row that is no part's as well.
    package var detail: String {
        let place = offset.map { ", byte \($0)" } ?? ""
        return "(\(piece.rawValue)\(place)): \(fault.text)"
    }
}

extension PartDamage.Fault {
    fileprivate var text: String {
        switch self {
        case .unknownLayout: "a layout that this version does not know"
        case .truncated: "they end too early"
        case .trailing: "they go on after their end"
        case .number: "a malformed number"
        case .tooMany: "more than \(PartLimits.messages) messages"
        case .count: "another number of messages than the part has"
        case .state: "an unknown message state"
        case .form: "a value in another form than it is written in"
        case .negative: "a negative number"
        case .disagrees(let column): "\(column) is not what the states say"
        case .code: "a cause's code that is taken twice, left out or reserved"
        }
    }
}

package enum PartLimits {
    /// Messages of one part: the rows that one transaction may have touched, less a margin for its counters.
    package static let messages = 4_900
}
