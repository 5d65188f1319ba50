import Foundation
import TestSupport
import Testing
import pushload

@Suite struct ScenarioDocumentTests {
    private func read(_ text: String) throws -> ScenarioDocument {
        try ScenarioDocument(Array(text.utf8), from: "a.json")
    }

    /// Returns the error of a document with these members in addition to the required ones.
    private func refusal(of members: String, needed: String = #""name": "A", "messages": 100"#) -> String {
        let text = [needed, members].filter { !$0.isEmpty }.joined(separator: ", ")
        do {
            _ = try read("{\(text)}")
            return "taken"
        } catch { return "\(error)" }
    }

    @Test func `omitted members have the documented defaults`() throws {
        let document = try read(#"{"name": "A", "messages": 100}"#)
        #expect(document.seed == 1 && document.loop == .closed(callers: 1) && document.hosts == 1)
        #expect(!document.isOnPostgreSQL && document.recipients == 100 && document.gateway == .usual)
        #expect(try read(#"{"name": "A", "messages": 100, "hosts": 2}"#).isOnPostgreSQL)
    }

    @Test func `each member has its documented effect`() throws {
        let document = try read(
            """
            {"name": "All of it", "seed": 7, "messages": 1200, "platform": "ios", "accounts": 3, "deliveries": 4,
             "loop": "open", "deliveriesPerSecond": 0.5, "personal": true, "registrations": 10,
             "registrationsPerSecond": 20, "restart": true, "hosts": 1, "store": "postgresql",
             "gateway": {"delayMilliseconds": 5, "streams": 10, "unavailablePercent": 10, "refusedPercent": 1,
              "deadPercent": 0}}
            """)
        #expect(document.loop == .open(perSecond: 0.5) && document.isOpenLoop && document.recipients == 100)
        #expect(document.isPersonal && document.restarts && document.isOnPostgreSQL && document.accounts == 3)
        #expect(document.registrations == 10 && document.registrationsPerSecond == 20 && document.seed == 7)
        #expect(document.gateway.unavailablePercent == 10 && document.gateway.streams == 10)
        #expect(document.conditions.joined(separator: "; ").contains("open loop, 0.50 deliveries/s"))
    }

    @Test(arguments: [
        (#""messages": 100"#, #"name is missing; it must be a text of 1 to 100 characters"#),
        (#""name": "", "messages": 1"#, #"name is ""; it must be a text of 1 to 100 characters"#),
        (#""name": "A""#, "messages is missing; it must be a whole number from 1 to 10000000"),
        (#""name": "A", "messages": 0"#, "messages is 0; it must be a whole number from 1 to 10000000"),
        (#""name": "A", "messages": 1.5"#, "messages is 1.5; it must be a whole number from 1 to 10000000"),
        (#""name": "A", "messages": "9""#, #"messages is "9"; it must be a whole number from 1 to 10000000"#),
        (#""name": "A", "messages": true"#, "messages is true; it must be a whole number from 1 to 10000000"),
    ])
    func `a missing required member is reported with its allowed values`(
        members: String, said: String
    ) {
        #expect(refusal(of: "", needed: members) == "a.json: \(said)")
    }

    @Test(arguments: [
        (#""platform": "windows""#, #"platform is "windows"; it must be "ios" or "android""#),
        (#""personal": 1"#, "personal is 1; it must be true or false"),
        (#""seed": null"#, "seed is null; it must be a whole number from 0 to 2147483647"),
        (#""seed": -1"#, "seed is -1; it must be a whole number from 0 to 2147483647"),
        (#""hosts": [2]"#, "hosts is a list; it must be a whole number from 1 to 8"),
        (
            #""loop": "open", "deliveriesPerSecond": 0"#,
            "deliveriesPerSecond is 0; it must be a number from 0.01 to 1000"
        ),
        (#""deliveriesPerSecond": 5"#, "deliveriesPerSecond is 5; it must be absent in a closed loop"),
        (#""loop": "open", "callers": 2"#, "callers is 2; it must be absent in an open loop"),
        (#""gateway": 5"#, "gateway is 5; it must be an object"),
        (
            #""gateway": {"unavailablePercent": 2.25}"#,
            "gateway/unavailablePercent is 2.25; it must be a number from 0 to 50 with at most one decimal"
        ),
        (
            #""gateway": {"refusedPercent": 50.1}"#,
            "gateway/refusedPercent is 50.1; it must be a number from 0 to 50 with at most one decimal"
        ),
        (
            #""gateway": {"unavailablePercent": 40, "refusedPercent": 40, "deadPercent": 20.5}"#,
            "gateway/unavailablePercent is 40; it must be at most 100 together with refusedPercent and deadPercent, not 100.5"
        ),
        (
            #""gateway": {"deadPercent": 1}, "deliveries": 2"#,
            "gateway/deadPercent is 1; it must be 0 if deliveries is greater than 1"
        ),
        (
            #""deliveries": 3"#,
            "messages is 100; it must be a multiple of 3, which is deliveries times accounts"
        ),
        (#""platform": "android", "accounts": 2"#, #"accounts is 2; it must be 1 if platform is "android""#),
        (
            #""hosts": 2, "store": "sqlite""#,
            #"store is "sqlite"; it must be "postgresql" if hosts is greater than 1"#
        ),
        (#""hosts": 2, "restart": true"#, "restart is true; it must be false if hosts is greater than 1"),
        (
            #""registrationsPerSecond": 5"#,
            "registrationsPerSecond is 5; it must be absent without registrations"
        ),
    ])
    func `an invalid value is refused with one line`(members: String, said: String) {
        #expect(refusal(of: members) == "a.json: \(said)")
    }

    @Test(arguments: [
        #""mesages": 5"#, #""gateway": {"delay": 5}"#, #""gateway/streams\u000a": 5"#,
        #""gateway/streams": 5"#,
    ])
    func `an unknown member is refused with a list of the known members`(members: String) {
        let said = refusal(of: members)
        #expect(
            said.contains(" is 5, but a scenario has no such member; its members are name, seed, messages"))
        #expect(!said.contains("\n"))
    }

    @Test(arguments: ["", "{", "[1]", "5", "{\"name\": }"])
    func `an invalid document is refused with one line`(text: String) {
        do {
            _ = try read(text)
            Issue.record("taken: \(text)")
        } catch {
            #expect("\(error)".hasPrefix("a.json: ") && !"\(error)".contains("\n"))
            #expect("\(error)".contains(" is "))
        }
    }

    @Test(arguments: [
        (#"{"name": "A", "messages": 1, "messages": 2}"#, "line 1, column 30: the key messages occurs twice"),
        (
            #"{"name": "A", "gateway": {"streams": 1, "streams": 1}}"#,
            "line 1, column 41: the key gateway.streams occurs twice"
        ),
        (#"{"name": "A", "gateway": {}, "gateway": {}}"#, "line 1, column 30: the key gateway occurs twice"),
    ])
    func `a duplicate member is refused by name`(text: String, said: String) {
        #expect(throws: LoadError("a.json: \(said); see Docs/Inside/LoadReports.md for an example")) {
            try read(text)
        }
    }

    @Test func `a share does not have to divide 100`() throws {
        let document = try read(
            #"{"name": "A", "messages": 100, "gateway": {"unavailablePercent": 3, "refusedPercent": 2.5}}"#)
        #expect(document.gateway.unavailablePercent == 3 && document.gateway.refusedPercent == 2.5)
        #expect(document.conditions.joined(separator: "; ").contains("3 % unavailable; 2.5 % refused"))
    }

    @Test func `the documentation's table lists the members that the reader accepts`() throws {
        let page = try String(contentsOf: Repository.file("Docs/Inside/LoadReports.md"), encoding: .utf8)
        for member in ScenarioMember.all {
            #expect(page.contains(member.documentationRow + "\n"), "missing: \(member.documentationRow)")
        }
        let table = page.components(separatedBy: "| member |").last ?? ""
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == ScenarioMember.all.count)
    }

    @Test func `the documentation's example is a valid scenario`() throws {
        let page = try String(contentsOf: Repository.file("Docs/Inside/LoadReports.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```json\n").dropFirst()
        let example = try #require(blocks.first?.components(separatedBy: "```").first)
        _ = try read(example)
    }

    @Test func `every shipped scenario is valid and has the same name as its file`() throws {
        let folder = Repository.file("Docs/Scenarios")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count >= 10)
        for file in files {
            let document = try ScenarioDocument(
                Array(try Data(contentsOf: file)), from: file.lastPathComponent)
            let name = document.name.lowercased().map { $0.isLetter || $0.isNumber ? String($0) : "-" }
                .joined()
            #expect(file.lastPathComponent == "\(name).json")
        }
    }

    @Test func `the address of a gateway must be an HTTPS URL`() throws {
        #expect(try GatewayAddress(url: "https://push.example:8443/").port == 8_443)
        #expect(try GatewayAddress(url: "https://127.0.0.1").port == 443)
        for odd in [
            "http://a", "https://", "https://a:0", "https://a:b", "https://a/b", "a:1", "https://a\"b",
        ] {
            #expect(throws: LoadError.self, "\(odd)") { _ = try GatewayAddress(url: odd) }
            #expect(throws: LoadError.self) { _ = try GatewayAddress(url: odd, option: "token-server") }
        }
    }

    @Test func `a delivery to more apps than allowed in one delivery is submitted in parts`() throws {
        let document = try ScenarioDocument(
            Array(#"{"name": "Many", "messages": 500, "accounts": 250, "deliveries": 2}"#.utf8),
            from: "many.json")
        #expect(document.partsPerDelivery == 3)
        #expect((0..<4).map(document.accounts(ofPart:)) == [0..<100, 100..<200, 200..<250, 0..<100])
    }
}
