import Testing
import pushmta

struct TextTableTests {
    @Test func `columns are as wide as their widest cell, and numbers are right-aligned`() {
        var table = TextTable(["NAME", "SENT"], numeric: ["SENT"])
        table.append(["a", "5"])
        table.append(["a longer name", "12 345"])
        #expect(table.lines == ["NAME             SENT", "a                   5", "a longer name  12 345"])
    }

    @Test
    func
        `a table that is too wide drops and shortens columns in the given order, and no more than necessary`()
    {
        var table = TextTable(["NAME", "LEAST", "SENT"], numeric: ["SENT"])
        table.append(["a long name#12ab", "least", "123456"])
        let steps: [TextTable.Narrowing] = [.drop("LEAST"), .shorten("NAME", to: 8)]
        #expect(table.lines(within: 31, steps) == table.lines)
        #expect(table.lines(within: 30, steps) == ["NAME                SENT", "a long name#12ab  123456"])
        // The end of the name, which distinguishes it, is kept.
        #expect(table.lines(within: 20, steps) == ["NAME            SENT", "a long…#12ab  123456"])
        #expect(table.lines(within: 5, steps) == ["NAME", "a …#1"])
    }

    @Test func `texts of the last column are wrapped at the terminal's width, below their first line`() {
        var table = TextTable(["SETTING", "WHY"])
        table.append(["gateway", "the vendor's, because no address is set"])
        table.append(["port", "443"])
        #expect(table.lines(wrappedTo: nil) == table.lines)
        #expect(table.lines(wrappedTo: 48) == table.lines)
        #expect(
            table.lines(wrappedTo: 34) == [
                "SETTING  WHY", "gateway  the vendor's, because no", "         address is set",
                "port     443",
            ])
        // If the column has too little room, the text continues below the first column.
        #expect(
            table.lines(wrappedTo: 20) == [
                "SETTING  WHY", "gateway  the", "  vendor's, because", "  no address is set", "port     443",
            ])
    }

    @Test func `a name cannot move the cursor of the terminal`() {
        var table = TextTable(["NAME"])
        table.append(["red \u{1B}[31m\nline"])
        #expect(table.lines == ["NAME", #"red \u{1B}[31m\nline"#])
    }
}
