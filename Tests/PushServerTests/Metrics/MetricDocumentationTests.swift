import Foundation
import PushServer
import PushWire
import TestSupport
import Testing

/// Tests that Metrics.md, alerts.yml and dashboard.json in Docs/Operate name the metrics that exist, and that
/// Runbooks.md describes each alert and each type of alarm.
@Suite struct MetricDocumentationTests {
    private static func page(_ name: String) throws -> String {
        try String(contentsOf: Repository.file("Docs/Operate/\(name)"), encoding: .utf8)
    }

    /// Returns the anchors of a page's headings, which consist of words.
    private static func anchors(in page: String) -> Set<String> {
        let headings = page.split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(
            headings.map { line in
                line.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
            })
    }

    @Test func `every metric is documented, and every documented metric exists`() throws {
        let page = try Self.page("Metrics.md")
        let head = try #require(page.range(of: Metric.documentationHead + "\n"))
        let rows = page[head.upperBound...].split(separator: "\n").prefix { $0.hasPrefix("|") }.map(
            String.init)
        #expect(rows == Metric.all.map(\.documentationRow))
    }

    /// Returns the names of metrics in a text, without the suffixes that a histogram adds.
    private static func names(in text: String) -> Set<String> {
        let pattern = /pushmta_[a-z_]+/
        return Set(
            text.matches(of: pattern).map { match in
                let name = String(match.output)
                let bare = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }.map {
                    String(name.dropLast($0.count))
                }
                return bare.flatMap { bare in Metric.all.contains { $0.name == bare } ? bare : nil } ?? name
            })
    }

    @Test(arguments: ["alerts.yml", "dashboard.json"])
    func `alert rules and the dashboard query only existing metrics`(file: String) throws {
        let known = Set(Metric.all.map(\.name))
        let asked = Self.names(in: try Self.page(file))
        #expect(!asked.isEmpty)
        #expect(asked.subtracting(known).isEmpty, "\(asked.subtracting(known))")
    }

    @Test func `the alert for a full disk names effective remedies, and mentions purge only as ineffective`()
        throws
    {
        let lines = try Self.page("alerts.yml").split(separator: "\n").filter { $0.contains("pushmta purge") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains("'pushmta purge' does not shrink") })
        #expect(lines.first?.contains("'pushmta store copy' makes a smaller file") == true)
    }

    @Test func `each alert has a runbook_url whose anchor exists`() throws {
        let anchors = Self.anchors(in: try Self.page("Runbooks.md"))
        let alerts = try Self.page("alerts.yml").split(separator: "- alert: ").dropFirst()
        #expect(!alerts.isEmpty)
        for alert in alerts {
            let name = alert.prefix { !$0.isWhitespace }
            let address = "runbook_url: \"Docs/Operate/Runbooks.md#\(name.lowercased())\"\n"
            #expect(alert.contains(address), "\(name)")
            #expect(anchors.contains(name.lowercased()), "\(name)")
        }
    }

    @Test func `the runbooks have a section for each type of alarm`() throws {
        let anchors = Self.anchors(in: try Self.page("Runbooks.md"))
        for kind in MasterStatus.Alarm.kinds {
            #expect(anchors.contains("alarm-\(kind)"), "\(kind)")
        }
    }

    @Test func `the dashboard is JSON, and each of its panels has a query`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(try Self.page("dashboard.json").utf8))
        let panels = try #require((object as? [String: Any])?["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        for panel in panels {
            let targets = panel["targets"] as? [[String: Any]] ?? []
            #expect(!targets.isEmpty)
            for target in targets {
                let asked = Self.names(in: target["expr"] as? String ?? "")
                #expect(!asked.isEmpty, "\(panel["title"] ?? "")")
            }
        }
    }

    /// The tool that Prometheus provides. If it is not installed, the test fails only on a machine that must
    /// have it.
    @Test func `promtool reports no problem in the alert rules`() async throws {
        let file = Repository.file("Docs/Operate/alerts.yml").path(percentEncoded: false)
        let check = try await ProgramOutput.result(of: "promtool", ["check", "rules", file])
        guard check.status != 127 else {
            let isRequired = ProcessInfo.processInfo.environment["CI"] != nil
            #expect(!isRequired, "promtool is missing: apt-get install prometheus")
            print(
                "promtool is not installed (package prometheus), so Docs/Operate/alerts.yml was not checked"
            )
            return
        }
        #expect(check.status == 0, "\(check.text)")
    }
}
