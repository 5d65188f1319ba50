import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct SubscriberCSVTests {
    private let token = String(repeating: "0123456789abcdef", count: 4)

    /// Reads a file in pieces of the given number of bytes.
    private func read(
        _ bytes: [UInt8], platform: Platform = .ios, piece: Int = .max
    ) throws(WireError) -> SubscriberBatch {
        var csv = SubscriberCSV(platform: platform)
        var batch = SubscriberBatch()
        var position = 0
        while position < bytes.count {
            let end = min(bytes.count, position + min(piece, bytes.count))
            try csv.feed(bytes.span.extracting(position..<end), into: &batch)
            position = end
        }
        try csv.finish(into: &batch)
        return batch
    }

    private func read(_ text: String, platform: Platform = .ios, piece: Int = .max) throws(WireError)
        -> SubscriberBatch
    {
        try read(Array(text.utf8), platform: platform, piece: piece)
    }

    private func headerProblem(_ bytes: [UInt8]) -> String? {
        do {
            _ = try read(bytes)
            return nil
        } catch {
            return error.description
        }
    }

    private func record(_ token: String, _ userKey: String, _ parameters: String? = nil) -> SubscriberRecord {
        SubscriberRecord(token: token, userKey: userKey, parametersJSON: parameters)
    }

    // MARK: Good files

    @Test(arguments: ["\n", "\r\n"])
    func `rows are read with either line ending, and the last line ending may be missing`(lineEnd: String)
        throws
    {
        let rows = ["registrationToken,userKey", "\(token),anna", "ab,", "CDEF,Bob"]
        let expected = [record(token, "anna"), record("ab", ""), record("cdef", "Bob")]
        for last in ["", lineEnd, lineEnd + lineEnd] {
            let batch = try read(rows.joined(separator: lineEnd) + last)
            #expect(batch.records == expected)
            #expect(batch.rejected.isEmpty)
        }
    }

    @Test func `if the token column has its former name, a column named token is a parameter`() throws {
        let new = try read("token,userKey,city\nab,u,x\n").records
        #expect(new.count == 1)
        #expect(try read("registrationToken,userKey,city\nab,u,x\n").records == new)
        let both = try read("token,userKey,registrationToken\nmine,u,ab\n").records
        #expect(both.map(\.token) == new.map(\.token))
        #expect(both.map(\.parametersJSON) == [#"{"token":"mine"}"#])
    }

    @Test func `columns may have any order, and additional columns become parameters by name`() throws {
        let batch = try read(
            "zip,userKey,city,registrationToken\n1,u,\"New \"\"York\"\"\",ab\n,u,,cd\n,u,é,ef\n")
        #expect(
            batch.records == [
                record("ab", "u", #"{"city":"New \"York\"","zip":"1"}"#), record("cd", "u"),
                record("ef", "u", #"{"city":"é"}"#),
            ])
    }

    @Test func `a byte order mark is not part of the first column's name`() throws {
        let batch = try read([0xEF, 0xBB, 0xBF] + Array("registrationToken,userKey\nab,u\n".utf8))
        #expect(batch.records == [record("ab", "u")])
    }

    @Test func `quoted fields may contain commas, line endings and quotation marks`() throws {
        let batch = try read(
            "\"userKey\",\"registrationToken\"\r\n\"a,\"\"b\"\"\r\nc\",\"AB\"\r\n\"\",cd\r\n")
        #expect(batch.records == [record("ab", "a,\"b\"\r\nc"), record("cd", "")])
        #expect(batch.rejected.isEmpty)
    }

    @Test func `empty lines are skipped and counted`() throws {
        let batch = try read("\n\r\nregistrationToken,userKey\n\nab,u\n\n\nzz,u\n")
        #expect(batch.records == [record("ab", "u")])
        #expect(batch.rejected.map(\.line) == [8])
    }

    @Test func `Android tokens are kept unchanged`() throws {
        let batch = try read("registrationToken,userKey\nabc:DEF_-x,u\na b,u\né,u\n", platform: .android)
        #expect(batch.records == [record("abc:DEF_-x", "u")])
        #expect(batch.rejected.map(\.line) == [3, 4])
    }

    // MARK: Separators

    @Test(arguments: [",", ";", "\t"])
    func `the separator in the header separates all columns`(separator: String) throws {
        let rows = [
            ["registrationToken", "userKey", "\"a, b; c\td\""], ["AB", "\"x,y;z\t\"\"q\"\"\"", "1"],
            ["cd", "\"two\nlines\"", "\"\""], ["ef", "u", "v", "w"], ["01", "", ""],
        ]
        let text = rows.map { $0.joined(separator: separator) }.joined(separator: "\r\n") + "\r\n"
        for piece in [1, 3, .max] {
            let batch = try read(text, piece: piece)
            #expect(
                batch.records == [
                    record("ab", "x,y;z\t\"q\"", #"{"a, b; c\td":"1"}"#), record("cd", "two\nlines"),
                    record("01", ""),
                ])
            #expect(batch.rejected == [RejectedRow(line: 5, fault: .columns(found: 4, expected: 3))])
        }
    }

    @Test(
        arguments: [
            ("registrationToken;userKey;price, EUR\nab;u,v;1,5\n", "u,v", #"{"price, EUR":"1,5"}"#),
            ("registrationToken\tuserKey\ta,b;c\nab\tu;v,w\t7\n", "u;v,w", #"{"a,b;c":"7"}"#),
            ("registrationToken,userKey,a;b\nab,u;v\tw,1;2\n", "u;v\tw", #"{"a;b":"1;2"}"#),
            ("\"userKey\";\"registrationToken\"\n\"u,\"\"v\";ab\n", "u,\"v", nil),
            ("\n\nuserKey;registrationToken\nu;ab\n", "u", nil),
            ("userKey;registrationToken\nu;ab", "u", nil),
        ] as [(String, String, String?)])
    func `a header may contain the other separators`(text: String, userKey: String, parameters: String?)
        throws
    {
        for piece in [1, 2, 5, .max] {
            let batch = try read(text, piece: piece)
            #expect(batch.records == [record("ab", userKey, parameters)] && batch.rejected.isEmpty)
        }
    }

    @Test
    func `an apostrophe that protects a field from execution in a spreadsheet is not part of the field`()
        throws
    {
        let batch = try read(
            "registrationToken,userKey,'=p\nab,'+33,'-1\ncd,\"'=1,\"\"2\",''@x\nef,'u,'\n01,'',x\n",
            platform: .android)
        #expect(
            batch.records == [
                record("ab", "+33", #"{"=p":"-1"}"#), record("cd", "=1,\"2", #"{"=p":"'@x"}"#),
                record("ef", "'u", #"{"=p":"'"}"#), record("01", "''", #"{"=p":"x"}"#),
            ])
        #expect(
            try read("registrationToken,userKey\n'-A_=,u\n", platform: .android).records[0].token == "-A_=")
    }

    // MARK: Bad rows

    @Test(
        arguments: [
            ("ab", .columns(found: 1, expected: 2)), ("ab,u,x", .columns(found: 3, expected: 2)),
            (",u", .emptyToken), ("\"\",u", .emptyToken),
            ("abc,u", .invalidToken(allowed: "an even number of hex digits, at most 200")),
            ("zz,u", .invalidToken(allowed: "an even number of hex digits, at most 200")),
            ("\"a\"\"b\",u", .invalidToken(allowed: "an even number of hex digits, at most 200")),
            ("a\"b,u", .strayQuote), ("ab,u\"", .strayQuote), ("\"ab\"x,u", .textAfterQuote),
            ("\"ab\" ,u", .textAfterQuote),
            ("ab,u\rx", .strayCarriageReturn), ("ab,u\u{0}", .nulByte), ("ab,\"u\u{0}\"", .nulByte),
            ("ab," + String(repeating: "u", count: 513), .userKeyTooLong(bytes: 513, limit: 512)),
        ] as [(String, RowFault)])
    func `an invalid row is reported with its line and reason, and affects no other row`(
        row: String, fault: RowFault
    ) throws {
        let text = "registrationToken,userKey\n01,before\n\(row)\n02,after\n"
        for piece in [1, 7, .max] {
            let batch = try read(text, piece: piece)
            #expect(batch.records == [record("01", "before"), record("02", "after")])
            #expect(batch.rejected == [RejectedRow(line: 3, fault: fault)])
        }
    }

    @Test func `an unclosed quotation mark affects only the line on which it is`() throws {
        let text = "registrationToken,userKey\n01,\"open\n02,b\n03,c\n"
        for piece in [1, 5, .max] {
            let batch = try read(text, piece: piece)
            #expect(batch.rejected == [RejectedRow(line: 2, fault: .unclosedQuote)])
            #expect(batch.records == [record("02", "b"), record("03", "c")])
        }
    }

    @Test func `line numbers stay correct after fields that contain several lines`() throws {
        let batch = try read("registrationToken,userKey\n01,\"a\nb\nc\"\nzz,u\n")
        #expect(batch.records == [record("01", "a\nb\nc")])
        #expect(batch.rejected.map(\.line) == [5])
    }

    @Test func `invalid UTF-8 is a fault in its row`() throws {
        let head = Array("registrationToken,userKey,city\n01,a,x\n".utf8)
        let batch = try read(
            head + [0x30, 0x32, 0x2C, 0xFF, 0x2C, 0x0A] + [0x30, 0x33, 0x2C, 0x2C, 0xC3, 0x0A]
                + Array("04,d,\n".utf8)
        )
        #expect(batch.records.map(\.token) == ["01", "04"])
        #expect(
            batch.rejected == [
                RejectedRow(line: 3, fault: .notUTF8(column: "userKey")),
                RejectedRow(line: 4, fault: .notUTF8(column: "city")),
            ])
    }

    @Test(arguments: [4_096, 65_536, .max])
    func `a line longer than a megabyte is skipped, whether it is quoted or not`(piece: Int) throws {
        let long = String(repeating: "u", count: SubscriberCSV.maximumRowBytes)
        let text = "registrationToken,userKey\n01,a\n02,\(long)\n03,b\n04,\"\(long)\"\n05,c\n"
        let batch = try read(text, piece: piece)
        #expect(batch.records.map(\.token) == ["01", "03", "05"])
        let fault = RowFault.tooLong(limit: SubscriberCSV.maximumRowBytes)
        #expect(batch.rejected == [RejectedRow(line: 3, fault: fault), RejectedRow(line: 5, fault: fault)])
    }

    @Test(arguments: [-1, 0, 1])
    func `the result for a row at the size limit does not depend on where its bytes are split`(over: Int)
        throws
    {
        let rest = String(repeating: "u", count: SubscriberCSV.maximumRowBytes - 4 + over)
        let head = "registrationToken,userKey\n"
        let whole = try read("\(head)02,\(rest)\n03,b\n")
        #expect(try read("\(head)02,\(rest)\n03,b\n", piece: 100_000) == whole)
        #expect(
            try read("\(head)02,\(rest)\n03,b\n", piece: head.utf8.count + SubscriberCSV.maximumRowBytes)
                == whole)
        let expected: RowFault =
            over > 0
            ? .tooLong(limit: SubscriberCSV.maximumRowBytes)
            : .userKeyTooLong(bytes: rest.utf8.count, limit: 512)
        #expect(whole.rejected == [RejectedRow(line: 2, fault: expected)])
        #expect(whole.records == [record("03", "b")])
    }

    @Test func `the size of parameters is limited`() throws {
        let long = String(repeating: "p", count: 16_384)
        let batch = try read("registrationToken,userKey,p\n01,a,\(long)\n02,b,x\n")
        #expect(batch.records.map(\.token) == ["02"])
        #expect(
            batch.rejected == [RejectedRow(line: 2, fault: .parametersTooLong(bytes: 16_392, limit: 16_384))])
    }

    @Test func `the reason for a rejected row does not repeat the contents of the row`() throws {
        let secret = "5ec2e7"
        let batch = try read(
            "registrationToken,userKey\n\(secret)x,u\n\(secret)\n\(secret),u\",\n\"\(secret)\"\(secret),\n")
        #expect(batch.rejected.count == 4)
        for rejected in batch.rejected { #expect(!rejected.description.contains(secret), "\(rejected)") }
    }

    // MARK: Bad headers

    @Test(arguments: [
        ("", "line 1: the file is empty; the first line must contain token and userKey"),
        ("\n\n", "line 1: the file is empty; the first line must contain token and userKey"),
        (
            "registrationToken\nab\n",
            "line 1: the header has no column userKey; the first line must contain token "
                + "and userKey, in any order"
        ),
        (
            "5ec2e7,anna\n",
            "line 1: the header has no column token and no column userKey; the first line must "
                + "contain token and userKey, in any order"
        ),
        (
            "registrationToken|userKey\n",
            "line 1: the header has no column token and no column userKey; the "
                + "first line must contain token and userKey, in any order; columns are separated by "
                + "commas, semicolons or tabs"
        ),
        (
            "token,userkey\n",
            "line 1: the header has no column userKey; the first line must contain token and userKey, in "
                + "any order; upper and lower case matter in column names"
        ),
        ("registrationToken,userKey,\n", "line 1: column 3 of the header has no name"),
        (
            "registrationToken,userKey,x,x\n",
            "line 1: column 4 of the header has the same name as another column"
        ),
        (
            "registrationToken,userKey,registrationToken\n",
            "line 1: column 3 of the header has the same name as another column"
        ),
        (
            "registrationToken,user\"Key\n",
            "line 1: the header cannot be read: a quotation mark inside an "
                + "unquoted field"
        ),
        (
            "registrationToken,\"userKey\n",
            "line 1: the header cannot be read: a quotation mark is not closed"
        ),
    ])
    func `an import does not start if the header lacks a required column`(text: String, problem: String) {
        #expect(headerProblem(Array(text.utf8)) == problem)
    }

    @Test func `a file in another encoding is refused`() {
        #expect(
            headerProblem([0xFF, 0xFE, 0x72, 0x00])
                == #"line 1: the file is UTF-16; save it as UTF-8 (in Excel: "CSV UTF-8")"#)
        #expect(
            headerProblem(Array("registrationToken,userKey,".utf8) + [0xE9, 0x0A])
                == "line 1: the header is not valid UTF-8; save the file as UTF-8")
    }

    // MARK: Cuts

    @Test func `the result does not depend on where the bytes are split`() throws {
        let bytes =
            [0xEF, 0xBB, 0xBF] as [UInt8]
            + Array(
                "userKey,registrationToken,\"ci\"\"ty\"\r\n\"a\"\"b\r\n\",AB,\"é\"\r\n\r\nx,cd,\n".utf8)
            + Array(
                "\"open,ef\n\"y\"z,01,\nu\r,02,\nw,0G,\n\"q\",03,\"\"\""
                    .utf8)
        let whole = try read(bytes)
        #expect(whole.records.count == 2)
        #expect(whole.rejected.map(\.line) == [6, 7, 8, 9, 10])
        for cut in 0...bytes.count {
            var csv = SubscriberCSV(platform: .ios)
            var batch = SubscriberBatch()
            try csv.feed(bytes.span.extracting(0..<cut), into: &batch)
            try csv.feed(bytes.span.extracting(cut..<bytes.count), into: &batch)
            try csv.finish(into: &batch)
            #expect(batch == whole, "cut at \(cut)")
        }
        for piece in 1...bytes.count { #expect(try read(bytes, piece: piece) == whole, "pieces of \(piece)") }
    }

    @Test func `text from the CSV writer is parsed unchanged, whatever it contains`() throws {
        var dice = SeededRandom(seed: 5)
        for _ in 0..<200 {
            var writer = CSVWriter()
            writer.appendRow(["userKey", "registrationToken", "p"])
            var expected: [SubscriberRecord] = []
            for row in 0..<Int.random(in: 0..<20, using: &dice) {
                let token = String(UInt64.random(in: .min ... .max, using: &dice) | 1 << 63, radix: 16)
                let beginning = ["", "", "=", "+", "-", "@", "\t", "\r", "'", "'=", "''"].randomElement(
                    using: &dice)
                let userKey = (beginning ?? "") + dice.text(atMost: 20)
                writer.appendRow([userKey, token, "p\(row)"])
                expected.append(record(token, userKey, "{\"p\":\"p\(row)\"}"))
            }
            let batch = try read(writer.bytes, piece: Int.random(in: 1...100, using: &dice))
            #expect(batch.rejected.isEmpty)
            #expect(batch.records.map { Array($0.userKey.utf8) } == expected.map { Array($0.userKey.utf8) })
            #expect(batch.records.map(\.token) == expected.map(\.token))
            #expect(batch.records.map(\.parametersJSON) == expected.map(\.parametersJSON))
        }
    }

    @Test func `random bytes give the same result in any split, and every line is counted`() throws {
        var dice = SeededRandom(seed: 9)
        let alphabet = Array("01ab,,\"\"\n\n\r\u{0}é'=-".utf8)
        for _ in 0..<3_000 {
            let noise = (0..<Int.random(in: 0..<60, using: &dice)).map { _ in
                alphabet.randomElement(using: &dice) ?? 0
            }
            let bytes = Array("registrationToken,userKey\n".utf8) + noise + Array("\nabcd,last\n".utf8)
            let whole = try read(bytes)
            #expect(try read(bytes, piece: Int.random(in: 1...9, using: &dice)) == whole)
            #expect(whole.rejected.allSatisfy { $0.line >= 2 && $0.line <= bytes.count { $0 == 0x0A } + 1 })
        }
    }
}
