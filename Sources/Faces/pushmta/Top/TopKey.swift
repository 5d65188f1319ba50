/// The keys that a user may press in `top`.
package enum TopKey: Equatable, Sendable {
    case up, down
    /// Select the first and the last delivery.
    case home, end
    case pause
    case longer, shorter
    case redraw
    case quit
}

/// Decodes the bytes from a terminal as keys. The bytes may be split at any position.
///
/// Unknown keys are skipped, as whole sequences. A lone ESC is not a key: it begins the sequence that follows
/// it.
package struct TopKeyDecoder: Sendable {
    private enum Place { case plain, escape, sequence }

    private var place = Place.plain
    /// The bytes of the current sequence between the sequence's introducer and its end.
    private var parameters: [UInt8] = []
    /// The maximum number of these bytes. A longer sequence does not belong to any key.
    private static let longestParameters = 16

    package init() {}

    package mutating func keys(in bytes: some Sequence<UInt8>) -> [TopKey] {
        bytes.compactMap { key(with: $0) }
    }

    private mutating func key(with byte: UInt8) -> TopKey? {
        switch place {
        case .plain: return plain(byte)
        case .escape:
            // Most terminals send ESC [; in application mode they send ESC O.
            place = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") ? .sequence : .plain
            if byte == 0x1B { place = .escape }
            parameters = []
            return nil
        case .sequence:
            guard byte < 0x40 || byte > 0x7E else {
                place = .plain
                return Self.key(endingWith: byte, parameters)
            }
            parameters.append(byte)
            // Another sequence has begun, or the input is an endless invalid sequence.
            if byte == 0x1B {
                place = .escape
            } else if parameters.count > Self.longestParameters {
                place = .plain
            }
            return nil
        }
    }

    private mutating func plain(_ byte: UInt8) -> TopKey? {
        switch byte {
        case 0x1B:
            place = .escape
            return nil
        case UInt8(ascii: "k"): return .up
        case UInt8(ascii: "j"): return .down
        case UInt8(ascii: "g"): return .home
        case UInt8(ascii: "G"): return .end
        case UInt8(ascii: "p"): return .pause
        case UInt8(ascii: "+"): return .longer
        case UInt8(ascii: "-"): return .shorter
        // Control-L.
        case 0x0C: return .redraw
        case UInt8(ascii: "q"): return .quit
        default: return nil
        }
    }

    private static func key(endingWith byte: UInt8, _ parameters: [UInt8]) -> TopKey? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "~"):
            switch parameters {
            case [UInt8(ascii: "1")], [UInt8(ascii: "7")]: .home
            case [UInt8(ascii: "4")], [UInt8(ascii: "8")]: .end
            default: nil
            }
        default: nil
        }
    }
}
