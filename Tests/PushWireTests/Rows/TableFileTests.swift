import PushModel
import PushWire
import Testing

@Suite struct TableFileTests {
    private static func table(_ text: String) throws -> TableFile { try TableFile(Array(text.utf8)) }

    private static func text(_ table: TableFile, _ chosen: [(column: Int, name: String)]) -> String {
        String(decoding: table.subscriberFile(chosen), as: UTF8.self)
    }

    @Test(arguments: [",", ";", "\t"])
    func `columns and first rows are read with any separator`(separator: String) throws {
        let text = "\u{FEFF}Push token|name|Customer\r\nt1|\"a \"\"b\"\"\"|anna\r\n\r\nt2|c|ben\r\n"
        let table = try Self.table(text.replacing("|", with: separator))
        #expect(table.columns == ["Push token", "name", "Customer"])
        #expect(table.firstRows == [["t1", "a \"b\"", "anna"], ["t2", "c", "ben"]])
        #expect(table.rowCount == 2)
        let file = Self.text(table, [(0, "token"), (2, "userKey"), (1, "name")])
        #expect(file == "token,userKey,name\nt1,anna,\"a \"\"b\"\"\"\n\nt2,ben,c\n")
    }

    @Test func `a table without user keys gets empty ones`() throws {
        let table = try Self.table("id,city\nt1,\"Rome, Italy\"\n")
        #expect(Self.text(table, [(0, "token"), (1, "city")]) == "token,city,userKey\nt1,\"Rome, Italy\",\n")
    }

    @Test func `only the first rows are shown`() throws {
        let rows = (1...20).map { "t\($0),u" }.joined(separator: "\n")
        let table = try Self.table("token,userKey\n\(rows)")
        #expect(table.rowCount == 20 && table.firstRows.count == 5)
    }

    @Test func `an apostrophe that prevents a formula stays one`() throws {
        let table = try Self.table("token,name\nt1,'=x\nt2,'y\n")
        #expect(table.firstRows == [["t1", "=x"], ["t2", "'y"]])
        #expect(Self.text(table, [(0, "token"), (1, "name")]) == "token,name,userKey\nt1,'=x,\nt2,'y,\n")
    }

    /// Each row of the table is bad in another way. The import must reject the same lines.
    @Test func `bad rows are rejected in the same lines`() throws {
        let token = String(repeating: "a1", count: 32)
        let lines = [
            "Token,User,City", "\(token),u1,Rome", "\(token),u2", "\(token),u3,Rome,x", "\(token),a\"b,Rome",
            "\"\(token)\"x,u5,Rome", "\(token),\"u6", "\(token),\"two", "lines\",Rome", "", "bad,u9,Rome",
            "\(token),u\u{0}10,Rome", "\(token),u11,Rome",
        ]
        let table = try Self.table(lines.joined(separator: "\n"))
        var csv = SubscriberCSV(platform: .ios)
        var batch = SubscriberBatch()
        let file = table.subscriberFile([(0, "token"), (1, "userKey"), (2, "city")])
        try csv.feed(file.span, into: &batch)
        try csv.finish(into: &batch)
        #expect(batch.records.map(\.userKey) == ["u1", "two\nlines", "u11"])
        #expect(batch.rejected.map(\.line) == [3, 4, 5, 6, 7, 11, 12])
        let cells = table.rows(inLines: Set(batch.rejected.map(\.line)))
        #expect(cells[3] == [token, "u2"] && cells[11] == ["bad", "u9", "Rome"])
        #expect(cells[5] == ["\(token),a\"b,Rome"])
        #expect(cells.count == 7)
    }

    @Test(arguments: ["", "\n\n", "PK\u{3}\u{4}", "%PDF-1.7"])
    func `a file that is not a table is refused`(text: String) {
        #expect(throws: WireError.self) { try Self.table(text) }
    }

    @Test func `a header that is not UTF-8 is refused, and too many columns are`() {
        #expect(throws: WireError.self) { try TableFile(Array("a,".utf8) + [0xE4, 0x0A]) }
        let names = (1...257).map { "c\($0)" }.joined(separator: ",")
        #expect(throws: WireError.self) { try Self.table(names) }
    }
}
