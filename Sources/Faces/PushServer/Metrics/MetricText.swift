package import PushModel
internal import PushWire
internal import Synchronization

/// A metric that this program has: what stands in `/metrics` and in Docs/Metrics.md. A new one is an element of
/// ``all``, a row of Docs/Metrics.md, and a figure that moves in `EveryMetricMoves`.
///
/// Names begin with `pushmta_` and end with their unit: seconds or bytes, `_total` for what only grows.
package struct Metric: Sendable {
    package enum Kind: String, Sendable {
        case gauge, counter, histogram
    }

    /// Every metric, in the order of the page.
    package static let all: [Metric] =
        process + web + master + children + accounts + queue + store + hosts + webhooks

    package let name: String
    package let kind: Kind
    package let labels: [String]
    /// In a sentence: for `# HELP` and for the documentation.
    package let meaning: String
    /// What an operator makes of it.
    package let advice: String
    /// Adds its samples.
    let add: @Sendable (MetricPage, inout MetricText.Samples) -> Void

    /// - Parameter figure: its only sample; nil: it has none.
    init<Value: Figure & SendableMetatype>(
        _ name: String, _ kind: Kind, _ meaning: String, _ advice: String,
        _ figure: @escaping @Sendable (MetricPage) -> Value?
    ) {
        self.init(name, kind, [], meaning, advice) { page, samples in
            if let value = figure(page) { samples.add(value) }
        }
    }

    init(
        _ name: String, _ kind: Kind, _ labels: [String], _ meaning: String, _ advice: String,
        samples: @escaping @Sendable (MetricPage, inout MetricText.Samples) -> Void
    ) {
        self.name = "pushmta_\(name)"
        self.kind = kind
        self.labels = labels
        self.meaning = meaning
        self.advice = advice
        add = samples
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

/// Writes metrics in Prometheus' text format, version 0.0.4. Pure.
///
/// Each metric is written once, with all its samples, by ``write(_:_:)``; a metric without samples keeps its
/// head, so that whoever looks finds its name.
package struct MetricText: Sendable {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var bytes: [UInt8] = []

    package init() { bytes.reserveCapacity(32 << 10) }

    /// The samples of one metric.
    package struct Samples {
        fileprivate var bytes: [UInt8]
        fileprivate let metric: Metric

        /// - Parameter labels: values, in the order of ``Metric/labels``.
        package mutating func add(_ value: some Figure, _ labels: String...) {
            line("", of: text(of: labels), value.asDouble)
        }

        /// - Parameter every: which of the classes are written: each, or each second one, where there are
        ///   many label values.
        package mutating func add(_ counts: LatencyCounts, every: Int = 1, _ labels: String...) {
            let labels = text(of: labels)
            var sum: UInt64 = 0
            for (place, count) in counts.counts.enumerated() {
                sum &+= count
                let isLast = place == LatencyCounts.bounds
                guard isLast || place % every == 0 else { continue }
                let bound = isLast ? "+Inf" : MetricText.number(Double(1 << place) / 1_000)
                let separator = labels.isEmpty ? "" : ","
                line("_bucket", of: labels + "\(separator)le=\"\(bound)\"".utf8, Double(sum))
            }
            line("_sum", of: labels, Double(counts.sumMicroseconds) / 1e6)
            line("_count", of: labels, Double(sum))
        }

        private func text(of values: [String]) -> [UInt8] {
            var text: [UInt8] = []
            for (label, value) in zip(metric.labels, values) {
                if !text.isEmpty { text.append(UInt8(ascii: ",")) }
                text += label.utf8
                text += "=\"".utf8
                text += MetricText.escaped(value, quotes: true)
                text.append(UInt8(ascii: "\""))
            }
            return text
        }

        /// - Parameter suffix: of the metric's name.
        private mutating func line(_ suffix: String, of labels: [UInt8], _ value: Double) {
            bytes += metric.name.utf8
            bytes += suffix.utf8
            if !labels.isEmpty {
                bytes.append(UInt8(ascii: "{"))
                bytes += labels
                bytes.append(UInt8(ascii: "}"))
            }
            bytes.append(UInt8(ascii: " "))
            bytes += MetricText.number(value).utf8
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    package mutating func write(_ metric: Metric, _ add: (inout Samples) -> Void) {
        bytes += "# HELP \(metric.name) ".utf8
        bytes += Self.escaped(metric.meaning, quotes: false)
        bytes += "\n# TYPE \(metric.name) \(metric.kind.rawValue)\n".utf8
        // Handed over and back, so that nothing is copied.
        var samples = Samples(bytes: bytes, metric: metric)
        bytes = []
        add(&samples)
        bytes = samples.bytes
    }

    /// - Parameter quotes: of a label's value; HELP lines keep theirs.
    static func escaped(_ text: String, quotes: Bool) -> [UInt8] {
        let isPlain = !text.utf8.contains {
            $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\"")
        }
        if isPlain { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
            case UInt8(ascii: "\"") where quotes: bytes += #"\""#.utf8
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// As Prometheus reads it.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value), abs(whole) < 1 << 53 { return "\(whole)" }
        return "\(value)"
    }
}

/// A number that may be a sample.
package protocol Figure {
    var asDouble: Double { get }
}
extension Double: Figure { package var asDouble: Double { self } }
extension Int: Figure { package var asDouble: Double { Double(self) } }
extension Int64: Figure { package var asDouble: Double { Double(self) } }
extension UInt64: Figure { package var asDouble: Double { Double(self) } }

/// Which accounts have a name of their own as a label: the first ``MasterFigures/mostAccounts`` that are
/// seen, so that the number of series is bounded and none changes its name.
final class AccountLabels: Sendable {
    private let names = Mutex<[String: String]>([:])

    func label(of account: String) -> String {
        names.withLock { names in
            if let known = names[account] { return known }
            guard names.count < MasterFigures.mostAccounts else { return MasterFigures.others }
            let label = account.printable(atMost: 200)
            names[account] = label
            return label
        }
    }

    /// Figures by label, those of one label summed up, in the labels' order.
    func sums<Figure: AdditiveArithmetic>(_ figures: some Sequence<(String, Figure)>) -> [(String, Figure)] {
        var sums: [String: Figure] = [:]
        for (account, figure) in figures { sums[label(of: account), default: .zero] += figure }
        return sums.sorted { $0.key < $1.key }
    }
}
