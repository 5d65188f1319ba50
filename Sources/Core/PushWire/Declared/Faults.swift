internal import PushModel

/// One thing that is wrong with a request or a document.
package struct Fault: Equatable, Sendable, CustomStringConvertible {
    /// The member: `content.ios.badge`, `apps[1]`; empty: the document as a whole.
    package var path: String
    /// What is wrong, and what is allowed: `must be one of sent, failed, not "fail"`.
    package var problem: String

    package init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

/// Everything that is wrong with a request or a document, in the order in which it was read.
package struct Faults: Equatable, Sendable {
    /// How much of a refused value its fault contains.
    package enum Echo: Sendable {
        /// The value, shortened and printable.
        case value
        /// Only what kind of value it is: of secrets, device tokens and payloads.
        case kind
        /// Nothing, because the caller shows the value itself.
        case nothing
    }

    /// More are only counted: a request of a client must not be answered by a much longer text.
    package static let maxListed = 100

    package private(set) var all: [Fault] = []
    /// With those that are not listed.
    package private(set) var count = 0
    package var echo = Echo.value

    package init() {}

    package var isEmpty: Bool { count == 0 }
    /// One for each fault.
    package var lines: [String] { listed.map(\.description) }
    /// The faults, and one that counts those that are not among them.
    package var listed: [Fault] {
        count == all.count
            ? all : all + [Fault(path: "", problem: "\(count - all.count) more faults are not listed")]
    }

    package mutating func note(_ path: String, _ problem: String) {
        note(Fault(path: path, problem: problem))
    }

    package mutating func note(_ fault: Fault) {
        count += 1
        if all.count < Self.maxListed { all.append(fault) }
    }

    /// Notes a value that is not what it must be.
    /// - Parameters:
    ///   - allowed: the end of a sentence that begins with "must be".
    ///   - isOtherKind: whether the kind of the value is what is wrong with it.
    /// - Returns: nil, for a reading that fails.
    package mutating func refuse<Value>(
        _ json: JSONValue, at path: String, _ allowed: String, isOtherKind: Bool = true
    ) -> Value? {
        let found =
            switch echo {
            case .value: ", not \(json.excerpt)"
            case .kind: isOtherKind ? ", not \(json.kind)" : ""
            case .nothing: ""
            }
        note(path, "\(path.isEmpty ? "the document " : "")must be \(allowed)\(found)")
        return nil
    }

    package mutating func refuseUnknown(_ path: String, known: [String]) {
        let names = known.joined(separator: ", ")
        note(path, known.isEmpty ? "unknown; nothing is known here" : "unknown; known are \(names)")
    }

    package mutating func refuseRepeated(_ path: String) { note(path, "given twice") }

    /// Keeps values out of the faults that are noted meanwhile.
    package mutating func withholding<Value>(
        if isSecret: Bool = true, _ read: (inout Faults) -> Value
    ) -> Value {
        let before = echo
        if isSecret { withhold() }
        defer { echo = before }
        return read(&self)
    }

    package mutating func withhold() {
        if echo == .value { echo = .kind }
    }

    package static func path(_ path: String, _ name: String) -> String {
        let name = name.printable(atMost: 64)
        return path.isEmpty ? name : "\(path).\(name)"
    }
}

extension JSONValue {
    /// The value as faults show it, on one short line.
    package var excerpt: String {
        switch self {
        case .string(let text): "\"\(text.printable(atMost: 64))\""
        case .null, .boolean, .integer, .real: text
        case .array, .object: kind
        }
    }
}
