import PushWire
import Testing

@Suite struct CSVWriterTests {
    private func row(_ fields: [String]) -> String {
        var writer = CSVWriter()
        writer.appendRow(fields)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (["a", "b"], "a,b\n"), (["", ""], ",\n"), (["a,b"], "\"a,b\"\n"), (["a\"b"], "\"a\"\"b\"\n"),
        (["a\nb"], "\"a\nb\"\n"),
        (["a\rb"], "\"a\rb\"\n"), ([" a"], "\" a\"\n"), (["a "], "\"a \"\n"), (["é👍"], "é👍\n"),
        (["a b"], "a b\n"),
    ])
    func `a field is quoted if necessary`(fields: [String], line: String) {
        #expect(row(fields) == line)
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+33612345678", "'+33612345678"), ("-5", "'-5"), ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"), ("\rx", "\"'\rx\""), ("=\"a\",1", "\"'=\"\"a\"\",1\""), ("'=x", "''=x"),
        ("''-", "'''-"),
        ("'", "'"), ("'a=", "'a="), ("a=b", "a=b"), ("", ""),
    ])
    func `only a field that a spreadsheet would execute is preceded by an apostrophe`(
        field: String, written: String
    ) {
        #expect(row([field]) == written + "\n")
    }

    @Test func `numbers and several rows can be written`() {
        var writer = CSVWriter()
        writer.append("x")
        writer.append(-7)
        writer.endRow()
        writer.appendRow(["y"])
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "x,-7\ny\n")
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
    }
}
