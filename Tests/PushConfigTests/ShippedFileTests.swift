import Foundation
import PushConfig
import PushConnectors
import TestSupport
import Testing

/// Tests of serverConf.xml and Docs/Operate/Configuration.md as a new user finds them.
@Suite struct ShippedFileTests {
    @Test func `the shipped file produces no findings`() throws {
        let loaded = try ConfigurationFile.load(
            path: Repository.file("serverConf.xml").path, schema: ConnectorCatalogue.settings)
        #expect(loaded.findings.isEmpty)
    }

    @Test func `the shipped file runs everything on this machine and admits no other machine`() throws {
        let settings = try ConfigurationFile.load(
            path: Repository.file("serverConf.xml").path, schema: ConnectorCatalogue.settings
        ).settings
        #expect(settings.mta.autoStart && settings.web.autoStart && settings.trackinglogd.autoStart)
        #expect(settings.web.bindsLoopbackOnly)
        #expect(!settings.mta.verifyMode)
        #expect(settings.gatewayProxy(forHost: "api.push.apple.com") == nil)
    }

    @Test func `except for services and paths, the shipped file changes two defaults`() throws {
        let loaded = try ConfigurationFile.load(
            path: Repository.file("serverConf.xml").path, schema: ConnectorCatalogue.settings)
        let folder = Repository.file("").path
        let bare = try parsed("<serverConf/>", path: folder + "/serverConf.xml").get()
        let changed = zip(loaded.origins, bare.origins).filter { $0.value != $1.value }.map {
            "\($0.0.path)=\($0.0.value)"
        }
        #expect(
            Set(changed) == [
                "mta/@autoStart=true", "mta/master/@startSpareServers=1",
                "mta/child/@maxWaitingMessages=20000", "web/@autoStart=true", "trackinglogd/@autoStart=true",
            ])
    }

    @Test
    func `the shipped file contains all settings with an effect, except those for proxies and PostgreSQL`()
        throws
    {
        let text = try String(contentsOf: Repository.file("serverConf.xml"), encoding: .utf8)
        let store = "shared/dataStore/dataSource/dbcnx/"
        let spared =
            ["shared/proxyConfig"] + ["@login", "@passwordFile", "@instanceFolder"].map { store + $0 }
        let withoutEffect = ["mta/@workingPath", "mta/child/@timeToLive"]
        for path in withoutEffect { #expect(!text.contains(" \(path.drop { $0 != "@" }.dropFirst())=\"")) }
        for key in ConnectorCatalogue.settings.keys
        where !withoutEffect.contains(key.path) && !spared.contains(where: key.path.hasPrefix) {
            #expect(text.contains(" \(key.attribute)=\""), "\(key.path)")
        }
    }

    @Test func `the documentation lists exactly the keys of the program, with their definitions`() throws {
        let page = try String(contentsOf: Repository.file("Docs/Operate/Configuration.md"), encoding: .utf8)
        let expected =
            [ConfigurationKey.documentationHead] + ConnectorCatalogue.settings.keys.map(\.documentationRow)
        for row in expected {
            #expect(page.contains(row + "\n"), "missing from Docs/Operate/Configuration.md: \(row)")
        }
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("/@") }
        #expect(rows.count == ConnectorCatalogue.settings.keys.count)
    }

    @Test func `the errors in the documentation are the ones that the program reports`() throws {
        let page = try String(contentsOf: Repository.file("Docs/Operate/Configuration.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(
            \.element)
        let document = try #require(blocks.first { $0.hasPrefix("xml\n<serverConf>") }).dropFirst(4)
        let shown = try #require(blocks.first { $0.hasPrefix("text\nserverConf.xml:") }).dropFirst(5)
            .dropLast()
        let error = try #require(refusal(of: String(document), path: "serverConf.xml"))
        #expect(error.description == shown)
    }
}
