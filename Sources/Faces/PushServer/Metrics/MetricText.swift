package import PushModel
internal import PushWire
internal import Synchronization

/// A metric of this program, as it appears in `/metrics` and in Docs/Operate/Metrics.md. A new metric needs
/// an element of ``all``, a row in Docs/Operate/Metrics.md, and a figure that changes in `EveryMetricMoves`.
///
/// A name begins with `pushmta_` and ends with its unit: seconds, bytes, or `_total` for a value that only
/// increases.
package struct Metric: Sendable {
    package enum Kind: String, Sendable {
        case gauge, counter, histogram
    }

    /// All metrics, in the order of the page.
    package static let all: [Metric] =
        process + web + master + children + accounts + queue + store + hosts + webhooks

    package let name: String
    package let kind: Kind
    package let labels: [String]
    /// The meaning in one sentence, for `# HELP` and the documentation.
    package let meaning: String
    /// How an operator should interpret the metric.
    package let advice: String
    /// Adds the samples of the metric.
    let add: @Sendable (MetricPage, inout MetricText.Samples) -> Void

    /// - Parameter figure: Returns the only sample; `nil` if there is none.
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

    /// The header of the metrics table in Docs/Operate/Metrics.md.
    package static let documentationHead = """
        | metric | type | labels | meaning | what to do |
        |---|---|---|---|---|
        """

    /// The row of this metric in the table of Docs/Operate/Metrics.md. A test compares the page with it.
    package var documentationRow: String {
        let labels = labels.isEmpty ? "–" : labels.map { "`\($0)`" }.joined(separator: " ")
        return "| `\(name)` | \(kind.rawValue) | \(labels) | \(meaning) | \(advice) |"
    }
}

/// A writer of metrics in Prometheus' text format, version 0.0.4. The type is pure.
///
/// ``write(_:_:)`` writes each metric once, with all its samples. A metric without samples keeps its header,
/// so that a reader can find its name.
package struct MetricText: Sendable {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var bytes: [UInt8] = []

    package init() { bytes.reserveCapacity(32 << 10) }

    /// The samples of one metric.
    package struct Samples {
        fileprivate var bytes: [UInt8]
        fileprivate let metric: Metric

        /// - Parameter labels: The values of the labels, in the order of ``Metric/labels``.
        package mutating func add(_ value: some Figure, _ labels: String...) {
            line("", of: text(of: labels), value.asDouble)
        }

        /// - Parameter every: 1 to write every latency class; 2 to write every second class, if there are
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

        /// - Parameter suffix: The suffix of the metric's name.
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
        // The buffer is moved to the samples and back to avoid a copy.
        var samples = Samples(bytes: bytes, metric: metric)
        bytes = []
        add(&samples)
        bytes = samples.bytes
    }

    /// - Parameter quotes: Whether to escape quotation marks, as in a label's value. HELP lines keep their
    ///   quotation marks.
    static func escaped(_ text: String, quotes: Bool) -> [UInt8] {
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

    /// Returns a number in the format that Prometheus expects.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value), abs(whole) < 1 << 53 { return "\(whole)" }
        return "\(value)"
    }
}

/// A number that can be a sample.
package protocol Figure {
    var asDouble: Double { get }
}
extension Double: Figure { package var asDouble: Double { self } }
extension Int: Figure { package var asDouble: Double { Double(self) } }
extension Int64: Figure { package var asDouble: Double { Double(self) } }
extension UInt64: Figure { package var asDouble: Double { Double(self) } }

/// The accounts that have their own name as a label: the first ``MasterFigures/maxAccounts`` that were seen.
/// This limits the number of series, and no series changes its name.
final class AccountLabels: Sendable {
    private let names = Mutex<[String: String]>([:])

    func label(of account: String) -> String {
        names.withLock { names in
            if let known = names[account] { return known }
            guard names.count < MasterFigures.maxAccounts else { return MasterFigures.others }
            let label = account.printable(atMost: 200)
            names[account] = label
            return label
        }
    }

    /// Returns the sum of the figures for each label, sorted by label.
    func sums<Figure: AdditiveArithmetic>(_ figures: some Sequence<(String, Figure)>) -> [(String, Figure)] {
        var sums: [String: Figure] = [:]
        for (account, figure) in figures { sums[label(of: account), default: .zero] += figure }
        return sums.sorted { $0.key < $1.key }
    }
}
