import Foundation
import PushXML
import Testing
import pushload

/// Tests of the format of a report, with invented figures.
@Suite struct LoadReportTests {
    private static let name = #"A <b> & "c" scenario"#

    private func report(samples: Int = 50, registrations: Bool = true) throws -> LoadReport {
        let text = #"{"name": "A <b> & \"c\" scenario", "messages": 1000, "registrations": 5}"#
        var scenario = ScenarioReport(try ScenarioDocument(Array(text.utf8), from: "a.json"))
        for number in 0..<samples {
            var sample = Sample(from: Double(number) / 2, to: Double(number + 1) / 2)
            (sample.ended, sample.inFlight, sample.storeBytes) = (20, number, number * 1_000_000)
            for thread in 1...12 { sample.cpu[.init("master", "thread \(thread)")] = Double(thread) / 100 }
            sample.cpu[.init("child", "<loop>")] = 0.3
            sample.memory = ["master": 50_000_000, "child": 20_000_000]
            sample.latency = Histogram((0..<20).map { $0 * (number + 1) })
            if registrations {
                (sample.registered, sample.registrationLatency) = (3, Histogram([1, 2, 3]))
            }
            scenario.series.append(sample)
        }
        (scenario.sent, scenario.failed, scenario.remarks) = (990, 10, ["worth <knowing>"])
        return LoadReport(machine: "2 cores & some", scenarios: [scenario, scenario])
    }

    private func tree(of page: String) throws -> DocumentElement {
        let lines = page.split(separator: "\n", maxSplits: 1)
        #expect(lines.first == "<!DOCTYPE html>")
        let limits = XMLLimits(
            bytes: 10 << 20, depth: 100, elements: 100_000, attributesOfElement: 20, bytesOfName: 100,
            bytesOfValue: 1 << 20)
        return try XMLReader.root(of: Array((lines.last ?? "").utf8), within: limits)
    }

    @Test(arguments: [0, 1, 2, 500]) func `the page is well-formed and loads no external resource`(
        samples: Int
    ) throws {
        let page = try report(samples: samples, registrations: samples > 1).html
        _ = try tree(of: page)
        for word in ["http", "src=", "<script", "url(", "@import", "<link", "javascript"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(!page.contains("nan") && !page.contains("inf"))
    }

    @Test func `the page shows each series, and the legend names the lines`() throws {
        let page = try report().html
        for title in [
            "Throughput", "Waiting", "In flight", "Latency", "Registrations", "CPU by process",
            "CPU by stage", "Memory",
            "Store",
        ] {
            #expect(page.components(separatedBy: "<figcaption>\(title) ").count == 3, "\(title)")
        }
        for name in ["p50", "p99.9", "master: thread 12", "child: &lt;loop&gt;", "6 others"] {
            #expect(page.contains("</span>\(name)</li>"), "\(name)")
        }
        #expect(page.contains("A &lt;b&gt; &amp; &quot;c&quot; scenario</h2>"))
        #expect(page.contains("worth &lt;knowing&gt;"))
    }

    @Test func `the text has one line for each figure`() throws {
        let text = try report().text
        #expect(text.contains("\n\(Self.name)\n"))
        for line in [
            "sent", "latency p99.9", "CPU per message, engine", "registration max", "worth <knowing>",
        ] {
            #expect(text.contains("\n  \(line)"), "\(line)")
        }
    }

    @Test func `the JSON contains the figures and one row for each interval`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(try report().json.utf8))
        let top = try #require(object as? [String: Any])
        let scenario = try #require((top["scenarios"] as? [[String: Any]])?.first)
        #expect(scenario["name"] as? String == Self.name && scenario["sent"] as? Int == 990)
        let samples = try #require(scenario["samples"] as? [[String: Any]])
        #expect(samples.count == 50)
        #expect(samples.map { $0["ended"] as? Int ?? 0 }.reduce(0, +) == 1_000)
        let latency = try #require(samples.last?["latency"] as? [String: Int])
        #expect(latency["p50"] == 450 && latency["max"] == 950 && latency["count"] == 20)
    }

    // MARK: Plots

    @Test(arguments: [0.01, 0.07, 1, 3, 10.3, 99, 1_000, 123_456, 5e7])
    func `axis ticks are few and round, and span all values`(most: Double) {
        let ticks = LinePlot.ticks(to: most, about: 4)
        #expect(ticks.first == 0 && (2...6).contains(ticks.count))
        #expect((ticks.last ?? 0) >= most * (1 - 1e-9) && (ticks.last ?? 0) < most * 4)
        let labels = ticks.map { LinePlot.label($0, step: ticks[1]) }
        #expect(Set(labels).count == ticks.count && labels.allSatisfy { $0.count <= 6 }, "\(labels)")
    }

    @Test func `labels on axes are short`() {
        #expect(LinePlot.label(0, step: 1) == "0" && LinePlot.label(0.25, step: 0.25) == "0.25")
        #expect(LinePlot.label(1_500, step: 500) == "1.5k" && LinePlot.label(20_000, step: 5_000) == "20k")
        #expect(LinePlot.label(1_500_000, step: 500_000) == "1.5M" && LinePlot.label(60, step: 20) == "60")
    }

    // MARK: Progress

    @Test func `the progress bar shows the remaining time and fits the width of the terminal`() {
        let bar = ProgressBar("One message in ten fails", fraction: 0.25, seconds: 20)
        #expect(bar.left == 60)
        let line = bar.line(width: 100)
        #expect(line.contains("[#######                       ]  25 %  1:00 left"))
        for width in 0...120 { #expect(bar.line(width: width).count <= max(width, 0)) }
        #expect(ProgressBar("x", fraction: 0, seconds: 5).line(width: 80).contains("time left unknown"))
        #expect(ProgressBar("x", fraction: 7, seconds: 5).fraction == 1)
        #expect(ProgressBar.clock(7_205) == "2:00:05" && ProgressBar.clock(0) == "0:00")
    }
}
