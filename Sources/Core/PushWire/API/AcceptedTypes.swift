/// The media types that a client accepts or prefers for the answer (RFC 9110 §12.5.1).
package struct AcceptedTypes: Sendable {
    /// Media ranges in lower case, each with its weight in thousandths.
    private let ranges: [(name: Substring, worth: Int)]

    /// Maximum number of media ranges that are considered. No honest client sends more.
    private static let maxRanges = 32

    /// - Parameter headers: The values of `Accept`. If there are none, any type is acceptable.
    package init(_ headers: [String]) {
        ranges = headers.joined(separator: ",").lowercased().split(separator: ",").prefix(Self.maxRanges)
            .map { range in
                let parts = range.split(separator: ";").map(Self.trimmed)
                let worth = parts.dropFirst().first { $0.hasPrefix("q=") }
                    .flatMap { Double($0.dropFirst(2)) }
                return (parts.first ?? "", Self.thousandths(worth ?? 1))
            }
    }

    /// Reports whether the client prefers `type`, which it must name explicitly, to the usual type. If both
    /// types have the same weight, the result is `true` only if the client does not name the usual type.
    package func prefer(_ type: String, to usual: String) -> Bool {
        guard let worth = worth(of: type), worth > 0 else { return false }
        if let usual = self.worth(of: usual) { return worth > usual }
        let any = self.worth(of: usual.prefix { $0 != "/" } + "/*") ?? self.worth(of: "*/*") ?? 0
        return worth >= any
    }

    private func worth(of name: some StringProtocol) -> Int? { ranges.first { $0.name == name }?.worth }

    /// Converts a weight to thousandths. A weight outside the range from 0 to 1 becomes 0.
    private static func thousandths(_ worth: Double) -> Int {
        (0...1).contains(worth) ? Int(worth * 1_000) : 0
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var rest = text.drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
