import Foundation
import PushModel
import PushOperations
import Testing

struct InstanceOperationsTests {
    @Test func `status shows what waits whether or not a master runs`() throws {
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

    @Test func `settings are shown with the line that they come from`() throws {
        let instance = try TestInstance(#"<mta verifyMode="true"/>"#)
        let settings = try instance.operations.carryOut(ShowConfiguration())
        let mode = try #require(settings.first { $0.path == "mta/@verifyMode" })
        #expect(mode.value == "true" && mode.line == 5)
        #expect(settings.contains { $0.path == "nmac/retry/@count" && $0.line == nil })
    }

    @Test func `a file is reported on, good or bad`() throws {
        let instance = try TestInstance()
        let path = instance.folder.appending(path: "other.xml").path(percentEncoded: false)
        func report(_ text: String) throws -> ConfigurationReport {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return try CheckConfiguration(path: path).perform(productVersion: "1")
        }
        #expect(try report("<serverConf/>").valid)
        let bad = try report("<serverConf>\n<mta verifyMode=\"perhaps\"/></serverConf>")
        #expect(!bad.valid)
        let finding = try #require(bad.findings.first)
        #expect(finding.severity == "error" && finding.line == 2)
        #expect(finding.text(inFile: "f").hasPrefix("f:2:"))
        let absent = failure { () throws(OperationError) in
            _ = try CheckConfiguration(path: path + ".not").perform(productVersion: "1")
        }
        #expect(absent?.kind == .failed)
    }
}
