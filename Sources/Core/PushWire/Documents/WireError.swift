/// An error in an operator's input. It never contains tokens, texts or secrets.
package enum WireError: Error, Equatable, CustomStringConvertible {
    /// All faults of a delivery document or of its content, in document order.
    case document([Fault])
    /// Bytes that are not JSON.
    case malformed(String)
    /// An import file without any usable row.
    case importFile(line: Int, problem: String)
    /// An invalid credential for a gateway.
    case credential(String)

    package var description: String {
        switch self {
        case .document(let findings): findings.map(\.description).joined(separator: "; ")
        case .importFile(let line, let problem): "line \(line): \(problem)"
        case .credential(let problem), .malformed(let problem): problem
        }
    }

    /// A fault that concerns a document as a whole.
    static func whole(_ problem: String) -> WireError {
        .document([Fault(path: "", problem: problem)])
    }

    /// One line for each fault.
    package var lines: [String] {
        if case .document(let findings) = self { findings.map(\.description) } else { [description] }
    }
}
