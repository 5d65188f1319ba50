internal import PushModel

/// A fault in a request or a document.
package struct Fault: Equatable, Sendable, CustomStringConvertible {
    /// The path of the member, such as `content.ios.badge` or `apps[1]`; empty for the document as a whole.
    package var path: String
    /// The problem and the allowed values: `must be one of sent, failed, not "fail"`.
    package var problem: String

    package init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

/// All faults in a request or a document, in the order in which it was read.
package struct Faults: Equatable, Sendable {
    /// How much of a refused value the fault shows.
    package enum ValueDetail: Sendable {
        /// The value, shortened and printable.
        case value
        /// Only the kind of the value, for secrets, device tokens and payloads.
        case kind
        /// Nothing, because the caller shows the value itself.
        case nothing
    }

    /// Maximum number of faults that are listed; further ones are only counted. The answer to a client's
    /// request must not be much longer than the request.
    package static let maxListed = 100

    package private(set) var all: [Fault] = []
    /// The number of faults, including those that are not listed.
    package private(set) var count = 0
    package var echo = ValueDetail.value

    package init() {}

    package var isEmpty: Bool { count == 0 }
    /// One line for each fault.
    package var lines: [String] { listed.map(\.description) }
    /// The listed faults. If others are not listed, one more element states their number.
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

    /// Records a fault for a value that is not allowed.
    /// - Parameters:
    ///   - allowed: The end of a sentence that begins with "must be".
    ///   - isOtherKind: Whether the value is of the wrong kind.
    /// - Returns: `nil`, so that a function that reads a value can fail with `return refuse(…)`.
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
        note(path, known.isEmpty ? "unknown; no members are allowed here" : "unknown; allowed: \(names)")
    }

    package mutating func refuseRepeated(_ path: String) { note(path, "given twice") }

    /// Calls `read`. If `isSecret`, the faults that `read` notes do not contain values.
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
    /// The value in the form that faults show: one short line.
    package var excerpt: String {
        switch self {
        case .string(let text): "\"\(text.printable(atMost: 64))\""
        case .null, .boolean, .integer, .real: text
        case .array, .object: kind
        }
    }
}
