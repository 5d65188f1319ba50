import PushModel
import PushWire
import Testing

/// Tests files whose recipients are identified by a parameter.
@Suite struct RecipientKeyFileTests {
    private static func read(
        _ text: String, _ kind: ParameterDeclaration.Kind = .text, by piece: Int = 1_000_000
    ) -> (lines: [String], fault: String?) {
        var file = RecipientFile(.table, key: RecipientKey(name: "customerId", kind: kind))
        var recipients: [ListedRecipient] = []
        let bytes = Array(text.utf8)
        do {
            for start in stride(from: 0, to: bytes.count, by: piece) {
                try file.feed(Array(bytes[start..<min(start + piece, bytes.count)]), into: &recipients)
            }
            try file.finish(into: &recipients)
        } catch {
            return ([], error.description)
        }
        return (recipients.map { "\($0.value) \(String(decoding: $0.variables, as: UTF8.self))" }, nil)
    }

    @Test func `the column of the parameter identifies recipients, and other columns are variables`() {
        let text = "userKey;customerId;code\nanna;C-1;A1\n;\"C;2\";\n"
        for piece in [1, 3, 1_000] {
            let read = Self.read(text, by: piece)
            #expect(read.lines == [#"C-1 {"userKey":"anna","code":"A1"}"#, "C;2 "] && read.fault == nil)
        }
    }

    @Test func `a JSON object identifies a recipient by the member with the parameter's name`() {
        let read = Self.read(
            #"{"customerId": "C-1", "variables": {"code": "A1"}}"# + "\n" + #"{"customerId": 7}"# + "\n")
        #expect(read.lines == [#"C-1 {"code":"A1"}"#, "7 "] && read.fault == nil)
    }

    @Test func `numbers that are equal are the same value`() {
        #expect(
            Self.read("customerId\n007\n7\n7.0\n-1.50\n+3\n", .number).lines == [
                "7 ", "7 ", "7 ", "-1.5 ", "3 ",
            ])
        #expect(Self.read("customerId\n007\n7\n").lines == ["007 ", "7 "])
    }

    @Test func `numbers that differ in any digit are different values`() {
        let key = RecipientKey(name: "customerId", kind: .number)
        let values = [
            // Neighbours that are the same floating-point number, as integers and in other forms.
            "9007199254740992", "9007199254740993", "9007199254740994.0", "9007199254740995e0",
            "9223372036854775807", "9223372036854775808", "-9223372036854775809",
            "123456789012345678901", "123456789012345678902", "0.1", "0.10000000000000001",
            // Words that are not numbers in the syntax of declared parameters.
            "0x1F", "31", "0x1p4", "16", "inf", "nan", "1e999999999999999999999", "1e400", "10e400", "C-1",
        ]
        #expect(Set(values.map(key.comparable)).count == values.count)
        for word in ["0x1F", "0x1p4", "inf", "nan", "C-1", "", "1.", ".5", "--1", "1e", " 7", "1_000"] {
            #expect(key.comparable(word) == word)
        }
        let equal = [
            ["9007199254740993", "9007199254740993.0", "09007199254740993", "9007199254740.993e3"],
            ["9223372036854775808", "+9223372036854775808.00"], ["0.001", "1e-3", "0.10E-2", "00.001"],
            ["-1.5", "-1.50", "-15e-1"], ["0", "-0", "0.0", "0e7", "-0e99999999999999999999"],
            ["1e400", "10e399", "0.1e401"], ["1e-400", "0.01e-398"], ["7", "+7", "7.0", "0.7e1"],
        ]
        for numbers in equal { #expect(Set(numbers.map(key.comparable)).count == 1, "\(numbers)") }
        #expect(key.comparable("1e-3") == "0.001" && key.comparable("12e2") == "1200")
    }

    @Test(
        arguments: [
            (
                "userKey\nanna\n", .text,
                "line 1: the header has no column customerId; the first line must contain it (case matters)"
            ),
            ("customerId\n7\nC-1\n", .number, "line 3: customerId: must be a number, like -12.5"),
            ("customerId\nyes\n", .boolean, "line 2: customerId: must be true or false"),
            ("customerId,x\n,1\n", .text, "line 2: customerId: must not be empty"),
            (#"{"userKey": "anna"}"#, .text, "line 1: userKey: unknown; allowed: customerId, variables"),
            (#"{"customerId": 1.5}"#, .text, "line 1: customerId: must be a string, an integer or a boolean"),
        ] as [(String, ParameterDeclaration.Kind, String)])
    func `a file without the parameter, or with a value of another kind, is refused with its line`(
        text: String, kind: ParameterDeclaration.Kind, fault: String
    ) {
        let found = Self.read(text, kind).fault
        #expect(found?.hasPrefix(fault) == true, "\(found ?? "none")")
    }
}
