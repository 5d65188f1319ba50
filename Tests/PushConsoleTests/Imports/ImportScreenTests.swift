import PushAPI
import PushConsole
import PushModel
import Testing

@Suite struct ImportScreenTests {
    private static func table(_ rows: String...) -> (field: String, name: String, text: String) {
        ("file", "people.csv", "Push Token;Customer ID;City\r\n" + rows.joined(separator: "\r\n") + "\r\n")
    }

    /// Uploads a table, and returns the address of the page for its columns.
    private static func uploaded(
        _ fixture: AudienceFixture, _ table: (field: String, name: String, text: String)
    ) throws -> String {
        let answer = try fixture.upload("/imports", ["app": "shop-ios"], file: table)
        #expect(answer.status == 303)
        return try #require(answer.value(of: "location")).replacing("/console", with: "")
    }

    @Test func `a table is uploaded, mapped and imported`() async throws {
        let fixture = try AudienceFixture()
        let (good, bad) = (AudienceFixture.token(1), "not a token")
        let page = try Self.uploaded(
            fixture, Self.table("\(good);anna;\"Rome; Italy\"", "\(bad);ben;Paris"))
        let mapping = try fixture.browser.get(page).text
        #expect(mapping.contains("Import 2 rows") && mapping.contains(">Push Token</label>"))
        #expect(mapping.contains("0000…0001") && !mapping.contains(good))
        #expect(mapping.contains("value=\"userKey\" selected"))
        let answer = try fixture.browser.post(
            page, ["column-0": "token", "column-1": "userKey", "column-2": "p:City"])
        let location = try #require(answer.value(of: "location"))
        let id = try #require(location.split(separator: "/").last.flatMap { Int64($0) })
        let job = try await fixture.end(ofJob: id)
        #expect(job.errors.isEmpty && job.operation == "subscribers.import")
        let people = try fixture.operations.carryOut(ShowSubscribers(.userKey("anna"))).items
        #expect(people.map(\.parameters) == [["City": "Rome; Italy"]])
        let shown = try fixture.browser.get("/jobs/\(id)").text
        #expect(shown.contains("Download 1 rejected row") && shown.contains("Rejected"))
        let rejected = try fixture.browser.get("/imports/\(id)/rejected")
        #expect(rejected.value(of: "content-type") == "text/csv; charset=utf-8")
        #expect(rejected.text.hasPrefix("line,reason,Push Token,Customer ID,City\n3,"))
        #expect(rejected.text.hasSuffix(",not a token,ben,Paris\n"))
        let again = try Self.uploaded(fixture, ("file", "rejected.csv", rejected.text))
        let ignored = try fixture.browser.get(again).text.matches(of: /value="-" selected/)
        #expect(ignored.count == 2)
    }

    @Test func `a mapping without a token, or with a meaning twice, is refused and keeps the choices`() throws
    {
        let fixture = try AudienceFixture()
        let page = try Self.uploaded(fixture, Self.table("\(AudienceFixture.token(1));anna;Rome"))
        let none = try fixture.browser.post(page, ["column-0": "-", "column-1": "userKey"])
        #expect(none.status == 422 && none.text.contains("Choose the column that contains the tokens"))
        #expect(none.text.contains("value=\"-\" selected"))
        let twice = try fixture.browser.post(page, ["column-0": "token", "column-1": "token"])
        #expect(twice.status == 422 && twice.text.contains("Another column has this meaning"))
        let foreign = try fixture.browser.post(page, ["column-0": "token", "column-1": "p:<script>"])
        #expect(foreign.status == 422 && foreign.text.contains("Choose a meaning from the list"))
        #expect(try fixture.state(of: "anna").isEmpty)
    }

    @Test func `a file that is not a table is refused, and the form keeps the app`() throws {
        let fixture = try AudienceFixture()
        let files: [(name: String, text: String)] = [
            ("empty.csv", ""), ("head.csv", "token,userKey\n"), ("book.xlsx", "PK\u{3}\u{4}rest"),
        ]
        for (name, text) in files {
            let answer = try fixture.upload("/imports", ["app": "shop-ios"], file: ("file", name, text))
            #expect(answer.status == 422, "\(name)")
            #expect(answer.text.contains("value=\"shop-ios\" selected"), "\(name)")
            #expect(answer.text.contains("id=\"field-file-error\""), "\(name)")
        }
        #expect(try fixture.upload("/imports", ["app": "shop-ios"], file: nil).status == 422)
        let unknown = try fixture.upload("/imports", ["app": "nothing"], file: Self.table("a;b;c"))
        #expect(unknown.status == 422 && unknown.text.contains("Choose an app"))
    }

    @Test func `a table of another person, or one that is gone, is asked for again`() throws {
        let fixture = try AudienceFixture()
        let page = try Self.uploaded(fixture, Self.table("\(AudienceFixture.token(1));anna;Rome"))
        let other = try fixture.console.browser(of: "jonas", .operator)
        let answer = try other.get(page)
        #expect(answer.status == 303 && answer.value(of: "location") == "/console/imports")
        #expect(try other.get("/imports").text.contains("Upload it again"))
        #expect(try other.post(page, ["column-0": "token"]).status == 303)
    }

    @Test func `columns with hostile names are shown as text`() throws {
        let fixture = try AudienceFixture()
        let name = AudienceFixture.hostile.replacing("\"", with: "\"\"")
        let page = try Self.uploaded(
            fixture, ("file", "<script>.csv", "token,\"\(name)\"\n\(AudienceFixture.token(1)),<script>\n"))
        let text = try fixture.browser.get(page).text
        #expect(text.contains("&lt;script&gt;") && !text.contains("<script>alert"))
        #expect(!text.contains("<img src=x"))
    }
}
