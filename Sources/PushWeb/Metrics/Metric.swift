/// A metric that this program has: what stands in `/metrics` and in Docs/Metrics.md. A row of ``all``.
///
/// Names begin with `pushmta_` and end with their unit: seconds or bytes, `_total` for what only grows.
package struct Metric: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case gauge, counter, histogram
    }

    package let name: String
    package let kind: Kind
    package let labels: [String]
    /// In a sentence: for `# HELP` and for the documentation.
    package let meaning: String
    /// What an operator makes of it.
    package let advice: String

    init(_ name: String, _ kind: Kind, _ meaning: String, _ advice: String) {
        self.init(name, kind, [], meaning, advice)
    }

    init(_ name: String, _ kind: Kind, _ labels: [String], _ meaning: String, _ advice: String) {
        self.name = "pushmta_\(name)"
        self.kind = kind
        self.labels = labels
        self.meaning = meaning
        self.advice = advice
    }

    /// The head of the table of metrics in Docs/Metrics.md.
    package static let documentationHead = """
        | metric | type | labels | meaning | what to do |
        |---|---|---|---|---|
        """

    /// This metric's line in that table. A test holds the page to it.
    package var documentationRow: String {
        let labels = labels.isEmpty ? "–" : labels.map { "`\($0)`" }.joined(separator: " ")
        return "| `\(name)` | \(kind.rawValue) | \(labels) | \(meaning) | \(advice) |"
    }
}
