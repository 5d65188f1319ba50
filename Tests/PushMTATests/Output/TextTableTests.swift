import Testing
import pushmta

struct TextTableTests {
    @Test func `columns are as wide as their widest cell, and numbers are right-aligned`() {
        var table = TextTable(["NAME", "SENT"], numeric: ["SENT"])
        table.append(["a", "5"])
        table.append(["a longer name", "12 345"])
        #expect(table.lines == ["NAME             SENT", "a                   5", "a longer name  12 345"])
    }

    @Test func `a name cannot move the reader's cursor`() {
        var table = TextTable(["NAME"])
        table.append(["red \u{1B}[31m\nline"])
        #expect(table.lines == ["NAME", #"red \u{1B}[31m\nline"#])
    }
}
