internal import PushWire

/// Parts of a text that the command line and the API spell differently, such as a reference to another use
/// case. An ``OperationError`` contains the text in both spellings.
package enum FaceText {
    /// Characters for private use, which names cannot contain.
    private static let (start, middle, end): (Character, Character, Character) = (
        "\u{E000}", "\u{E001}", "\u{E002}"
    )

    fileprivate static func both(_ command: String, _ api: String) -> String {
        "\(start)\(command)\(middle)\(api)\(end)"
    }

    static func forCommands(_ text: String) -> String { spelled(text) { command, _ in command } }
    static func forAPI(_ text: String) -> String { spelled(text) { _, api in api } }

    /// Returns the text for people who use neither commands nor the API: clauses that refer to a request are
    /// left out.
    static func forPeople(_ text: String) -> String {
        guard text.contains(start) else { return text }
        var kept: [Substring] = []
        for clause in clauses(of: text) {
            guard let mark = clause.firstIndex(of: start), refers(clause[mark...]) else {
                kept.append(clause)
                continue
            }
            // The part of the clause before the last comma states something of its own.
            if let comma = clause[..<mark].lastIndex(of: ",") { kept.append(clause[..<comma]) }
        }
        return kept.isEmpty ? forAPI(text) : forAPI(kept.joined(separator: "; "))
    }

    /// Reports whether the spelling for the API at the beginning of a text is the address of a request.
    private static func refers(_ text: Substring) -> Bool {
        guard let separator = text.firstIndex(of: middle) else { return false }
        let api = text[text.index(after: separator)...]
        let method = api.prefix { $0.isLetter && $0.isUppercase }
        return !method.isEmpty && api[method.endIndex...].hasPrefix(" /")
    }

    /// Returns the parts of a text between semicolons. A semicolon between marks separates nothing.
    private static func clauses(of text: String) -> [Substring] {
        var (clauses, first, isMarked): ([Substring], String.Index, Bool) = ([], text.startIndex, false)
        for index in text.indices {
            switch text[index] {
            case start: isMarked = true
            case end: isMarked = false
            case ";" where !isMarked && text[index...].hasPrefix("; "):
                clauses.append(text[first..<index])
                first = text.index(index, offsetBy: 2)
            default: break
            }
        }
        return clauses + [text[first...]]
    }

    private static func spelled(
        _ text: String, _ choice: (_ command: Substring, _ api: Substring) -> Substring
    ) -> String {
        guard text.contains(start) else { return text }
        func isMark(_ character: Character) -> Bool { [start, middle, end].contains(character) }
        var (spelled, rest) = ("", text[...])
        while let open = rest.firstIndex(of: start) {
            let inner = rest[rest.index(after: open)...]
            // Text from outside may contain one of these marks without the others.
            guard let separator = inner.firstIndex(where: isMark), inner[separator] == middle,
                case let api = inner[inner.index(after: separator)...],
                let close = api.firstIndex(where: isMark), api[close] == end
            else {
                spelled += rest[...open]
                rest = inner
                continue
            }
            spelled += rest[..<open]
            spelled += choice(inner[..<separator], api[..<close])
            rest = api[api.index(after: close)...]
        }
        return spelled + rest
    }
}

extension DefaultStringInterpolation {
    /// Inserts a reference to a request, such as `'pushmta delivery show 7'` or `GET /api/v1/deliveries/7`.
    package mutating func appendInterpolation<Use: UseCase & ShortOperation>(see request: Use) {
        let path = APIPattern(Use.operation.path)
        let names = path.names.compactMap { name in
            Use.members.first { $0.declaration.name == name }?.get(request).map(\.addressText)
        }
        let asked = request.request
        refer(
            (["pushmta", Use.commandPath] + names).joined(separator: " "), asked?.method ?? Use.methodText,
            asked.map { String($0.target.prefix { $0 != "?" }) } ?? Use.operation.path)
    }

    /// Inserts a reference to a use case, such as `'pushmta delivery show'` or `GET /api/v1/deliveries/{id}`.
    package mutating func appendInterpolation<Use: UseCase & ShortOperation>(see type: Use.Type) {
        refer("pushmta \(Use.commandPath)", Use.methodText, Use.operation.path)
    }

    /// Inserts a phrase for the command line and its counterpart for the API.
    package mutating func appendInterpolation(command: String, api: String) {
        appendLiteral(FaceText.both(command, api))
    }

    private mutating func refer(_ command: String, _ method: String, _ path: String) {
        appendInterpolation(command: "'\(command)'", api: "\(method) \(ServiceRequest.root)\(path)")
    }
}

extension UseCase where Self: ShortOperation {
    fileprivate static var methodText: String { operation.method.rawValue.uppercased() }
}
