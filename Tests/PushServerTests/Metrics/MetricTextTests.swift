import PushModel
import PushServer
import Testing

@Suite struct MetricTextTests {
    private static func text(_ metric: Metric, _ add: (inout MetricText.Samples) -> Void) -> String {
        var text = MetricText()
        text.write(metric, add)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test func `a metric is written with a header and one line for each sample`() throws {
        let metric = try #require(Metric.all.first { $0.name == "pushmta_children_ended_total" })
        let text = Self.text(metric) {
            $0.add(3, "crashed")
            $0.add(0.5, "orderly")
        }
        #expect(
            text == """
                # HELP pushmta_children_ended_total \(metric.meaning)
                # TYPE pushmta_children_ended_total counter
                pushmta_children_ended_total{how="crashed"} 3
                pushmta_children_ended_total{how="orderly"} 0.5

                """)
    }

    @Test func `the header of a metric is written even if the metric has no samples`() throws {
        let metric = try #require(Metric.all.first { $0.name == "pushmta_unrecorded_messages" })
        #expect(Self.text(metric) { _ in }.split(separator: "\n").count == 2)
    }

    @Test func `quotes, backslashes and line breaks in a label are escaped`() throws {
        let metric = try #require(Metric.all.first { $0.name == "pushmta_account_connections" })
        let text = Self.text(metric) { $0.add(1, "a\"b\\c\nd") }
        #expect(text.hasSuffix(#"pushmta_account_connections{account="a\"b\\c\nd"} 1"# + "\n"))
    }

    @Test(arguments: [
        (0.0, "0"), (-3, "-3"), (1e15, "1000000000000000"), (0.25, "0.25"), (.infinity, "+Inf"),
        (-.infinity, "-Inf"),
        (.nan, "NaN"),
    ])
    func `numbers are written in the Prometheus format`(number: Double, written: String) throws {
        let metric = try #require(Metric.all.first { $0.name == "pushmta_open_files" })
        let text = Self.text(metric) { $0.add(number) }
        #expect(text.hasSuffix("pushmta_open_files \(written)\n"))
    }

    @Test func `the buckets of a histogram are cumulative, and the last bucket contains all values`() throws {
        let metric = try #require(Metric.all.first { $0.name == "pushmta_store_commit_seconds" })
        var counts = LatencyCounts()
        counts.add(nanoseconds: 500_000)
        counts.add(nanoseconds: 3_000_000, count: 2)
        counts.add(nanoseconds: 100_000_000_000)
        let lines = Self.text(metric) { $0.add(counts) }.split(separator: "\n").dropFirst(2).map(String.init)
        #expect(lines.count == LatencyCounts.classes + 2)
        #expect(lines[0] == #"pushmta_store_commit_seconds_bucket{le="0.001"} 1"#)
        #expect(lines[1] == #"pushmta_store_commit_seconds_bucket{le="0.002"} 1"#)
        #expect(lines[2] == #"pushmta_store_commit_seconds_bucket{le="0.004"} 3"#)
        #expect(lines[15] == #"pushmta_store_commit_seconds_bucket{le="32.768"} 3"#)
        #expect(lines[16] == #"pushmta_store_commit_seconds_bucket{le="+Inf"} 4"#)
        #expect(lines[17] == "pushmta_store_commit_seconds_sum 100.0065")
        #expect(lines[18] == "pushmta_store_commit_seconds_count 4")
    }

    @Test func `omitting every second bucket leaves the sums unchanged`() throws {
        let metric = try #require(Metric.all.first { $0.name == "pushmta_gateway_answer_seconds" })
        var counts = LatencyCounts()
        for milliseconds in [0, 1, 2, 5, 40, 90_000] {
            counts.add(nanoseconds: Int64(milliseconds) * 1_000_000)
        }
        let every = Self.text(metric) { $0.add(counts, every: 1, "a") }.split(separator: "\n")
        let second = Self.text(metric) { $0.add(counts, every: 2, "a") }.split(separator: "\n")
        #expect(second.allSatisfy { every.contains($0) })
        #expect(second.count == 2 + 9 + 2)
    }

    @Test func `the names of metrics contain the unit and are unique`() {
        #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
        for metric in Metric.all {
            #expect(metric.name.hasPrefix("pushmta_"))
            #expect(metric.name.utf8.allSatisfy { (97...122).contains($0) || $0 == 95 }, "\(metric.name)")
            #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
            #expect(metric.kind != .histogram || metric.name.hasSuffix("_seconds"), "\(metric.name)")
            #expect(!metric.meaning.isEmpty && !metric.advice.isEmpty)
        }
    }
}
