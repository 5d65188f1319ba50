import Foundation
import GatewayAPNs
import PushConfig
import PushConnectors
import TestSupport
import Testing

/// Returns a Campaign file that contains every section and attribute in Campaign's reference.
@Suite struct CampaignElementTests {
    private func campaignFile() throws -> String {
        let fixture = Repository.file("Tests/PushConfigTests/Fixtures/campaign-complete.xml")
        return try String(contentsOf: fixture, encoding: .utf8)
    }

    @Test func `a complete Campaign file loads, and only one of its values differs from PushMTA's defaults`()
        throws
    {
        let loaded = try parsed(try campaignFile()).get()
        var settings = try parsed("<serverConf/>").get().settings
        // The only default that differs from ours: Campaign's processes grow.
        settings.mta.processRestartTime = loaded.settings.mta.processRestartTime
        #expect(settings.mta.processRestartTime?.secondsSinceMidnight == 6 * 3_600)
        #expect(loaded.settings == settings)
        #expect(loaded.settings.mta.child.maxWaitingMessages == 2_000)
        #expect(loaded.origins.count { $0.line != nil } == 27)
    }

    @Test func `Campaign settings that PushMTA does not know are reported as ignored, once for each section`()
        throws
    {
        let loaded = try parsed(try campaignFile()).get()
        #expect(loaded.findings.allSatisfy { $0.severity == .ignored })
        let subjects = loaded.findings.map { $0.message.prefix { $0 != ":" } }
        #expect(Set(subjects).count == subjects.count)
        #expect(
            Set(subjects).isSuperset(of: [
                "archiving", "mta", "mta/child/smtp", "web/relay", "wfserver", "shared/dnsConfig",
            ]))
        #expect(
            !subjects.contains {
                $0.hasPrefix("web/relay/") || $0.hasPrefix("nmac") || $0.hasPrefix("securityZone/")
            })
    }

    @Test func `a file that names Campaign's databases does not load`() throws {
        for provider in ["", "Oracle", "MSSQL"] {
            let marked = "provider=\"‸\(provider)\""
            let file = MarkedDocument(
                try campaignFile().replacingOccurrences(of: "provider=\"SQLite\"", with: marked))
            let error = try #require(refusal(ofBytes: file.bytes))
            let errors = error.findings.filter { $0.severity == .error }
            #expect(
                errors.count == 1
                    && errors[0].message.hasPrefix("shared/dataStore/dataSource/dbcnx/@provider: found "))
            #expect(errors[0].line == file.line && errors[0].column == file.column)
        }
    }

    @Test func `secrets in unused settings do not appear in findings`() throws {
        let text = try campaignFile().replacingOccurrences(
            of: "trackingPassword=\"\"", with: "trackingPassword=\"hunter2\"")
        let loaded = try parsed(text).get()
        #expect(
            !loaded.findings.contains { $0.message.contains("hunter2") || $0.message.contains("@kept==") })
    }

    @Test func `the three relays are three separate elements`() throws {
        let text = """
            <serverConf>
              <mta><relay address="smtp.example,other.example" port="25"/></mta>
              <nmac><relay address="push.example" port="8443"/></nmac>
              <web><relay timeout="60"/></web>
            </serverConf>
            """
        let loaded = try parsed(text).get()
        #expect(loaded.settings.nmac.relay.endpoint == HostAndPort(host: "push.example", port: 8_443))
        #expect(loaded.findings.map(\.severity) == [.ignored, .ignored])
    }
}
