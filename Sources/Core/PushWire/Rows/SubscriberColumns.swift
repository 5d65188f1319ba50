import PushModel

/// The header of a subscriber file: the meaning of each column.
struct SubscriberColumns: Equatable, Sendable {
    static let tokenName = "token"
    /// The earlier name of the token column. In a file that uses this earlier name, ``tokenName`` is the name
    /// of a parameter.
    static let earlierTokenName = "registrationToken"
    static let userKeyName = "userKey"
    static let maximumColumns = 256

    /// A column whose value becomes a subscription parameter.
    struct Parameter: Equatable, Sendable {
        var column: Int
        var name: String
        /// The name as a JSON key, with its colon.
        var key: [UInt8]
        /// The kind of values that the app requires.
        var kind: ParameterDeclaration.Kind
    }

    var names: [String]
    var token: Int
    var userKey: Int
    /// The column of the language of the device, if there is one. The columns of other collected facts are
    /// ignored, so that an exported file can be imported.
    var language: Int?
    /// The parameters in ascending order of their names.
    var parameters: [Parameter]

    var count: Int { names.count }

    /// Reports whether these column names include the required ones.
    static func areNamed(_ names: [String]) -> Bool {
        (names.contains(tokenName) || names.contains(earlierTokenName)) && names.contains(userKeyName)
    }

    /// - Parameter declared: The parameters that the app accepts. If this is empty, the app accepts all
    ///   parameters with any text as the value.
    /// - Throws: ``WireError/importFile(line:problem:)``. If the header may be missing, the error does not
    ///   quote the first line, because that line then contains a token.
    init(names: [String], declared: [ParameterDeclaration], line: Int) throws(WireError) {
        guard names.count <= Self.maximumColumns else {
            throw .importFile(
                line: line, problem: "\(names.count) columns; the maximum is \(Self.maximumColumns)")
        }
        let tokenName = names.contains(Self.earlierTokenName) ? Self.earlierTokenName : Self.tokenName
        let missing = [tokenName, Self.userKeyName].filter { !names.contains($0) }
        guard missing.isEmpty, let token = names.firstIndex(of: tokenName),
            let userKey = names.firstIndex(of: Self.userKeyName)
        else {
            let separator =
                names.count == 1 && names[0] != tokenName && names[0].contains(Self.userKeyName)
                ? "; columns are separated by \(CSVSeparator.words)" : ""
            let spelled = missing.filter { name in names.contains { $0.lowercased() == name.lowercased() } }
            let hint = spelled.isEmpty ? "" : "; upper and lower case matter in column names"
            throw .importFile(
                line: line,
                problem:
                    "the header has no column \(missing.joined(separator: " and no column ")); the first "
                    + "line must contain token and userKey, in any order\(hint)\(separator)")
        }
        for (index, name) in names.enumerated() {
            if name.isEmpty {
                throw .importFile(line: line, problem: "column \(index + 1) of the header has no name")
            }
            if names[..<index].contains(name) {
                throw .importFile(
                    line: line,
                    problem: "column \(index + 1) of the header has the same name as another column")
            }
        }
        self.names = names
        self.token = token
        self.userKey = userKey
        let facts = CollectedFact.known(besides: declared)
        func fact(_ column: Int) -> CollectedFact? {
            CollectedFact(rawValue: names[column]).flatMap { facts.contains($0) ? $0 : nil }
        }
        language = names.indices.first { fact($0) == .osLanguage }
        let columns = names.indices.filter { $0 != token && $0 != userKey && fact($0) == nil }
            .map { (index: $0, name: ParameterColumn.parameter(of: names[$0], besides: facts)) }
        let known = Dictionary(declared.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let strange = declared.isEmpty ? [] : columns.filter { known[$0.name] == nil }
        guard strange.isEmpty else {
            throw Self.undeclared(strange.map { names[$0.index] }, declared, line: line)
        }
        parameters =
            columns
            .map { column in
                // Uses the declared spelling if the letters are composed differently, because texts refer to
                // the parameter by the bytes of its name.
                let parameter = known[column.name] ?? ParameterDeclaration(name: column.name, kind: .text)
                var key: [UInt8] = []
                JSONText.append(parameter.name, to: &key)
                key.append(UInt8(ascii: ":"))
                return Parameter(column: column.index, name: parameter.name, key: key, kind: parameter.kind)
            }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private static func undeclared(
        _ names: [String], _ declared: [ParameterDeclaration], line: Int
    ) -> WireError {
        let columns = names.map { $0.printable(atMost: 64) }.joined(separator: ", ")
        let allowed = declared.map { "\($0.name):\($0.kind.rawValue)" }.joined(separator: ", ")
        return .importFile(
            line: line,
            problem:
                "unknown parameters: \(columns); the app declares \(allowed): rename the column (case "
                + "matters), remove it, or declare it as a parameter of the app")
    }
}
