import Foundation
import PushAPI
import PushConfig
import PushModel
import PushStore
import PushWire
import Testing

struct InstanceOperationsTests {
    @Test func `status shows waiting messages whether or not a master is running`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(try TestInstance.submission())
        let idle = try instance.operations.carryOut(ShowStatus())
        #expect(!idle.running && idle.master == nil)
        #expect(idle.deliveries.map(\.label) == ["Spring sale"])
        instance.engine.run(.example(mark: "m"))
        let running = try instance.operations.carryOut(ShowStatus())
        #expect(running.running)
        #expect(running.master?.children.map(\.pid) == [8])
        #expect(running.master?.accounts[0].troubles[0].lastAt == TestInstance.noon.time)
    }

    @Test func `status shows each account's waiting messages, whether or not a master is running`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(30)
        let submitted = try instance.operations.carryOut(try TestInstance.submission())
        _ = try instance.store.preparation.prepareChunk(
            of: submitted.id, at: TestInstance.noon)
        let idle = try #require(try instance.operations.carryOut(ShowStatus()).queues.first)
        #expect(idle.account == "stub production" && idle.mark == "stub production  #1")
        #expect(idle.pending == 30 && idle.retrying == 0 && idle.unrecorded == 0 && idle.oldestSeconds == 0)

        var master = MasterStatus.example(mark: "stub production  #1")
        master.accounts[0].granted = 4
        master.accounts[0].answersPerSecond = 12.5
        instance.engine.run(master)
        let running = try instance.operations.carryOut(ShowStatus())
        #expect(running.queues.count == 1 && running.master?.answersPerSecond == 12.5)
        let queue = running.queues[0]
        #expect(queue.pending == 30 && queue.granted == 4 && queue.unrecorded == 5)
        #expect(queue.answersPerSecond == 12.5)
        #expect(running.size?.diskFreeBytes ?? 0 > 0)
    }

    @Test func `settings are shown with the line of the file that defines them`() throws {
        let instance = try TestInstance(#"<mta verifyMode="true"/>"#)
        let settings = try instance.operations.carryOut(ShowConfiguration())
        let mode = try #require(settings.first { $0.path == "mta/@verifyMode" })
        #expect(mode.value == "true" && mode.line == 5)
        #expect(settings.contains { $0.path == "nmac/retry/@count" && $0.line == nil })
    }

    @Test func `a configuration file is reported on, whether it is valid or not`() throws {
        let instance = try TestInstance()
        let path = instance.folder.appending(path: "other.xml").path(percentEncoded: false)
        func report(_ text: String) throws -> ConfigurationReport {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return try ConfigurationFileCheck(path: path).perform(productVersion: "1")
        }
        #expect(try report("<serverConf/>").valid)
        let bad = try report("<serverConf>\n<mta verifyMode=\"perhaps\"/></serverConf>")
        #expect(!bad.valid)
        let finding = try #require(bad.findings.first)
        #expect(finding.severity == .error && finding.line == 2)
        #expect(finding.text(inFile: "f").hasPrefix("f:2:"))
        let absent = failure { () throws(OperationError) in
            _ = try ConfigurationFileCheck(path: path + ".not").perform(productVersion: "1")
        }
        #expect(absent?.kind == .failed)
    }

    @Test func `the check opens the files that settings name, and lists settings without effect`() throws {
        let instance = try TestInstance()
        let folder = instance.folder
        func report(_ elements: String) throws -> ConfigurationReport {
            let file = folder.appending(path: "serverConf.xml")
            let text = try String(contentsOf: file, encoding: .utf8)
            let path = folder.appending(path: "other.xml").path(percentEncoded: false)
            try text.replacing("<mta/>", with: elements).write(
                toFile: path, atomically: true, encoding: .utf8)
            return try ConfigurationFileCheck(path: path).perform(productVersion: "1")
        }
        #expect(try report("<mta/>").findings == [])
        func trusting(_ name: String) -> String { #"<nmac><relay trustedCertsChain="\#(name)"/></nmac>"# }
        let absent = try report(trusting("absent.pem"))
        #expect(!absent.valid)
        #expect(absent.findings.map(\.severity) == [.error] && absent.findings[0].line == 5)
        #expect(absent.findings[0].message.contains("absent.pem cannot be read: No such file"))
        try "nothing".write(to: folder.appending(path: "no.pem"), atomically: true, encoding: .utf8)
        #expect(
            try report(trusting("no.pem")).findings.first?.message.contains("does not contain a certificate")
                == true)
        try "-----BEGIN CERTIFICATE-----\n".write(
            to: folder.appending(path: "ca.pem"), atomically: true, encoding: .utf8)
        #expect(try report(trusting("ca.pem")).valid)
        #expect(try !report(trusting(".")).valid)

        let idle = try report(
            #"<mta workingPath="var/x"><child timeToLive="3"/></mta><web autoStart="true"/>"#)
        #expect(idle.valid)
        #expect(idle.findings.map(\.severity) == [.ignored, .ignored])
        #expect(idle.findings.allSatisfy { $0.message.hasSuffix("has no effect in this version") })
    }

    @Test func `a store that cannot be opened is reported`() throws {
        let instance = try TestInstance()
        let path = instance.folder.appending(path: "other.xml").path(percentEncoded: false)
        let text = try String(contentsOf: instance.folder.appending(path: "serverConf.xml"), encoding: .utf8)
        try text.replacing("var/pushmta.db", with: "serverConf.xml").write(
            toFile: path, atomically: true, encoding: .utf8)
        let report = try ConfigurationFileCheck(path: path).perform(productVersion: "1")
        #expect(!report.valid)
        #expect(report.findings.first?.message.contains("is not a PushMTA store") == true)
        #expect(report.findings.first?.line == 3)
    }
}
