package import PushModel

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
        package mutating func add(_ value: Double, _ labels: String...) { add(value, labels) }

        package mutating func add(_ value: Int, _ labels: String...) { add(Double(value), labels) }

        package mutating func add(_ value: UInt64, _ labels: String...) { add(Double(value), labels) }

        private mutating func add(_ value: Double, _ labels: [String]) {
            line(metric.name, Array(zip(metric.labels, labels)), value)
        }

        /// - Parameter every: which of the classes are written: each, or each second one, where there are
        ///   many label values.
        package mutating func add(_ counts: LatencyCounts, every: Int = 1, _ labels: String...) {
            let labels = Array(zip(metric.labels, labels))
            var sum: UInt64 = 0
            for (place, count) in counts.counts.enumerated() {
                sum &+= count
                let isLast = place == LatencyCounts.bounds
                guard isLast || place % every == 0 else { continue }
                let bound = isLast ? "+Inf" : MetricText.number(Double(1 << place) / 1_000)
                line("\(metric.name)_bucket", labels + [("le", bound)], Double(sum))
            }
            line("\(metric.name)_sum", labels, Double(counts.sumMicroseconds) / 1e6)
            line("\(metric.name)_count", labels, Double(sum))
        }

        private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
            bytes += name.utf8
            if !labels.isEmpty {
                bytes.append(UInt8(ascii: "{"))
                for (index, (label, value)) in labels.enumerated() {
                    if index > 0 { bytes.append(UInt8(ascii: ",")) }
                    bytes += label.utf8
                    bytes += "=\"".utf8
                    bytes += MetricText.escaped(value, quotes: true)
                    bytes.append(UInt8(ascii: "\""))
                }
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
