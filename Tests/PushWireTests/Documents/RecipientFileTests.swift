import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct RecipientFileTests {
    private struct Read: Equatable {
        var recipients: [ListedRecipient] = []
        var kind = RecipientList.Kind.userKeys
        var names: Set<String> = []
        var fault: String?

        var lines: [String] {
            recipients.map { "\($0.value) \(String(decoding: $0.variables, as: UTF8.self))" }
        }
    }

    /// - Parameter piece: The number of bytes to read at a time.
    private static func read(_ text: [UInt8], _ form: RecipientFile.Form, by piece: Int = 1_000_000) -> Read {
        var (file, read) = (RecipientFile(form), Read())
        do {
            for start in stride(from: 0, to: text.count, by: piece) {
                try file.feed(Array(text[start..<min(start + piece, text.count)]), into: &read.recipients)
            }
            try file.finish(into: &read.recipients)
        } catch {
            read.fault = error.description
        }
        (read.kind, read.names) = (file.kind, file.names)
        return read
    }

    private static func read(_ text: String, _ form: RecipientFile.Form) -> Read {
        let whole = read(Array(text.utf8), form)
        for piece in [1, 2, 3, 7] { #expect(read(Array(text.utf8), form, by: piece) == whole, "\(piece)") }
        return whole
    }

    @Test func `a file of user keys has one key per line`() {
        let read = Self.read("\u{FEFF}anna\r\n\nbéa,x\n \"q\n", .userKeys)
        #expect(read.lines == ["anna ", "béa,x ", " \"q "] && read.fault == nil && read.kind == .userKeys)
        #expect(Self.read("", .userKeys) == Read())
        #expect(Self.read("\n\r\n", .userKeys) == Read())
    }

    @Test func `the first row of a table names its columns, and an empty cell means no value`() {
        let read = Self.read(
            "name,userKey,\"co\"\"de\"\n\"A, \"\"b\"\"\nc\",anna,7\n,bob,\nx,\"eve\",\"\"\r\n\n", .table)
        #expect(
            read.lines == [
                #"anna {"name":"A, \"b\"\nc","co\"de":"7"}"#, "bob ", #"eve {"name":"x"}"#,
            ])
        #expect(read.names == ["name", "co\"de"] && read.kind == .userKeys && read.fault == nil)
        let tokens = Self.read("token,x\nAB,1\n", .table)
        #expect(tokens.kind == .tokens && tokens.lines == [#"AB {"x":"1"}"#])
        #expect(Self.read("userKey\nanna\n", .table).lines == ["anna "])
    }

    @Test(arguments: [",", ";", "\t"])
    func `the separator in the header separates all columns`(separator: String) {
        let rows = [
            ["\"a, b; c\td\"", "token"], ["\"x,y;z\t\"\"q\"\"\"", "AB"], ["\"two\nlines\"", "\"CD\""],
            ["'=1", "EF"],
        ]
        let text = rows.map { $0.joined(separator: separator) + "\r\n" }.joined()
        let read = Self.read(text, .table)
        #expect(read.fault == nil && read.kind == .tokens && read.names == ["a, b; c\td"])
        #expect(
            read.lines == [
                #"AB {"a, b; c\td":"x,y;z\t\"q\""}"#, #"CD {"a, b; c\td":"two\nlines"}"#,
                #"EF {"a, b; c\td":"=1"}"#,
            ])
    }

    @Test func `a table with one separator may contain the other separators in its header`() {
        for (text, line) in [
            ("userKey;price, EUR\nanna,b;1,5\n", #"anna,b {"price, EUR":"1,5"}"#),
            ("a,b;c\tuserKey\n7\tu;v,w\n", #"u;v,w {"a,b;c":"7"}"#),
            ("userKey,a;b\nu;v,1;2\n", #"u;v {"a;b":"1;2"}"#),
        ] {
            let read = Self.read(text, .table)
            #expect(read.lines == [line] && read.fault == nil, "\(read)")
        }
    }

    @Test func `the object on each line has the form of a recipient in a document`() {
        let read = Self.read(
            " \n{\"userKey\": \"anna\", \"variables\": {\"a\": \"b\", \"n\": 1}}\n\n{\"userKey\":\"bob\"}\r\n"
                + "{\"userKey\": \"eve\", \"variables\": {\"c\": true}}", .table)
        #expect(
            read.lines == [#"anna {"a":"b","n":"1"}"#, "bob ", #"eve {"c":"true"}"#] && read.fault == nil)
        #expect(read.names == ["a", "n", "c"])
        #expect(Self.read("{\"token\":\"AB\"}\n", .table).kind == .tokens)
    }

    private static let broken =
        "the file ends within a line: it is truncated, or its last line break is missing"

    @Test(
        arguments: [
            ("anna\nbo", .userKeys, "line 2: \(broken)"),
            ("a\0b\n", .userKeys, "line 1: user key is not valid UTF-8 or contains a zero byte"),
            (
                "a\n\(String(repeating: "x", count: 513))\n", .userKeys,
                "line 2: user key: must have at most 512 bytes, not 513"
            ),
            ("userKey,code\nanna,1\nbob", .table, "line 3: \(broken)"),
            ("userKey,code\nanna,\"1\n", .table, "line 2: \(broken)"),
            ("userKey,code\nanna\n", .table, "line 2: missing columns: 1 instead of 2"),
            ("userKey,code\n\"a\n\",x\nanna,1,2\n", .table, "line 4: too many columns: 3 instead of 2"),
            ("userKey,code\n,1\n", .table, "line 2: userKey: must not be empty"),
            (
                "token,code\nab12,1\n(null),2\n", .table,
                "line 3: token: must be a device token, not a placeholder for a missing one"
            ),
            (
                "{\"token\":\"undefined\"}\n", .table,
                "line 1: token: must be a device token, not a placeholder for a missing one"
            ),
            (
                "userKey,code\nan\"na,1\n", .table,
                "line 2: a quotation mark inside an unquoted field"
            ),
            (
                "userKey,x\na,\(String(repeating: "y", count: 4_089))\n", .table,
                "line 2: variables have 4097 bytes; the maximum is 4096"
            ),
            ("userKey,userKey\n", .table, "line 1: column 2 of the header has the name of another column"),
            ("userKey,\n", .table, "line 1: column 2 of the header has no name"),
            (
                "userKey,token\n", .table,
                "line 1: the header has both a userKey and a token column; remove one of them"
            ),
            (
                "userKey|code\n", .table,
                "line 1: the header has neither a userKey nor a token column; the first line must contain one of them (case matters), and variables in the other columns; columns are separated by commas, semicolons or tabs"
            ),
            ("{\"userKey\":\"a\"}\n{\"userKey\":\"b\"", .table, "line 2: not JSON: "),
            (
                "{\"userKey\":\"a\"}\n{\"token\":\"b\"}\n", .table,
                "line 2: token: unknown; allowed: userKey, variables"
            ),
            ("{\"userKey\":\"a\\u0000\"}\n", .table, "line 1: not JSON: "),
            ("{\"variables\":{}}\n", .table, "line 1: userKey: missing"),
            (
                "{\"userKey\":\"a\",\"variables\":{\"x\":1.5}}\n", .table,
                "line 1: variables.x: a fraction; write it as a string with the exact digits"
            ),
        ] as [(String, RecipientFile.Form, String)])
    func `reading stops at the first invalid line, which is reported with its number`(
        text: String, form: RecipientFile.Form, fault: String
    ) {
        let found = Self.read(text, form).fault
        #expect(found?.hasPrefix(fault) == true, "\(found ?? "no fault")")
    }

    @Test func `bytes that are not UTF-8, and files in UTF-16, are refused`() {
        #expect(Self.read([0x61, 0xFF, 0x0A], .userKeys).fault?.contains("not valid UTF-8") == true)
        #expect(Self.read([0xFF, 0xFE, 0x61, 0], .userKeys).fault?.contains("UTF-16") == true)
        let cell = Array("userKey,x\nanna,".utf8) + [0xC3, 0x0A]
        #expect(
            Self.read(cell, .table).fault == "line 2: invalid UTF-8 in column x; save the file as CSV UTF-8")
    }

    @Test func `an endless line is refused before it fills the memory`() {
        for (form, head) in [(RecipientFile.Form.userKeys, ""), (.table, "userKey,x\na,\""), (.table, "{\"")]
        {
            var (file, recipients, fed) = (RecipientFile(form), [ListedRecipient](), 0)
            let fault = #expect(throws: WireError.self) {
                try file.feed(Array(head.utf8), into: &recipients)
                for _ in 0..<100 {
                    fed += 65_536
                    try file.feed([UInt8](repeating: 0x61, count: 65_536), into: &recipients)
                }
            }
            #expect(fault?.description.hasSuffix("longer than 131072 bytes") == true && fed <= 4 * 65_536)
        }
    }

    @Test func `the length of variable names is limited, and no fault repeats the contents of the file`() {
        let many = (0...256).map { "{\"userKey\":\"k\($0)\",\"variables\":{\"SECRET\($0)\":\"1\"}}\n" }
            .joined()
        #expect(Self.read(Array(many.utf8), .table).fault == "line 257: more than 256 variable names")
        let wide = "userKey" + (0..<256).map { ",v\($0)" }.joined() + "\n"
        #expect(Self.read(Array(wide.utf8), .table).fault == "line 1: 257 columns; the maximum is 256")
    }
}
