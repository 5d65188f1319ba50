/// What a client would like to be answered in (RFC 9110 §12.5.1).
package struct AcceptedTypes: Sendable {
    /// Media ranges in lower case, each with what it is worth in thousandths.
    private let ranges: [(name: Substring, worth: Int)]

    /// More are no honest client's; the first are looked at.
    private static let mostRanges = 32

    /// - Parameter headers: the values of `Accept`; none: whatever there is.
    package init(_ headers: [String]) {
        ranges = headers.joined(separator: ",").lowercased().split(separator: ",").prefix(Self.mostRanges)
            .map { range in
                let parts = range.split(separator: ";").map(Self.trimmed)
                let worth = parts.dropFirst().first { $0.hasPrefix("q=") }
                    .flatMap { Double($0.dropFirst(2)) }
                return (parts.first ?? "", Self.thousandths(worth ?? 1))
            }
    }

    /// Whether a type that has to be asked for is wanted more than the usual one, or as much as the usual one where
    /// only that is not named.
    package func prefer(_ type: String, to usual: String) -> Bool {
        guard let worth = worth(of: type), worth > 0 else { return false }
        if let usual = self.worth(of: usual) { return worth > usual }
        let any = self.worth(of: usual.prefix { $0 != "/" } + "/*") ?? self.worth(of: "*/*") ?? 0
        return worth >= any
    }

    private func worth(of name: some StringProtocol) -> Int? { ranges.first { $0.name == name }?.worth }

    /// What is no number from 0 to 1 is worth nothing.
    private static func thousandths(_ worth: Double) -> Int {
        (0...1).contains(worth) ? Int(worth * 1_000) : 0
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var rest = text.drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
