/// What is wrong with something that an operator handed in. Tokens, texts and secrets never stand in it.
package enum WireError: Error, Equatable, CustomStringConvertible {
    /// A delivery document, or the content in it: everything that is wrong, in the document's order.
    case document([Fault])
    /// Bytes that are not JSON at all.
    case malformed(String)
    /// An import file of which no row can be used.
    case importFile(line: Int, problem: String)
    /// A gateway's credential.
    case credential(String)

    package var description: String {
        switch self {
        case .document(let findings): findings.map(\.description).joined(separator: "; ")
        case .importFile(let line, let problem): "line \(line): \(problem)"
        case .credential(let problem), .malformed(let problem): problem
        }
    }

    /// A fault of a document as a whole.
    static func whole(_ problem: String) -> WireError {
        .document([Fault(path: "", problem: problem)])
    }

    /// One line for each thing that is wrong.
    package var lines: [String] {
        if case .document(let findings) = self { findings.map(\.description) } else { [description] }
    }
}
