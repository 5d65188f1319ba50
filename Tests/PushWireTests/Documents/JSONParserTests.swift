import Foundation
import PushWire
import TestSupport
import Testing

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    private func fault(_ text: String) -> String? {
        do {
            _ = try JSONParser.parse(Array(text.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `every type of value is parsed`() throws {
        #expect(
            try parse(#" {"a": [1, -2.5, 1e3, true, false, null], "b": {}, "c": [], "d": ""} "#)
                == .object([
                    JSONMember(
                        key: "a",
                        value: .array([
                            .integer(1), .real(-2.5), .real(1000), .boolean(true), .boolean(false), .null,
                        ])
                    ),
                    JSONMember(key: "b", value: .object([])), JSONMember(key: "c", value: .array([])),
                    JSONMember(key: "d", value: .string("")),
                ]))
        #expect(try parse("9223372036854775807") == .integer(.max))
        #expect(try parse("9223372036854775808") == .real(9_223_372_036_854_775_808))
        #expect(try parse("\u{FEFF}1") == .integer(1))
    }

    @Test func `escapes become the characters that they stand for`() throws {
        #expect(
            try parse(#""\"\\\/\b\f\n\r\t\u00e9\u2028\ud83d\udc4d\uD83D\uDC4D""#)
                == .string("\"\\/\u{8}\u{c}\n\r\té\u{2028}👍👍"))
    }

    @Test func `a fault states the line and the column`() {
        #expect(fault("{\n  \"a\": 1\n  \"b\": 2\n}") == "line 3, column 3: a comma or } is expected")
        #expect(fault("{\"a\":1,\"a\":2}") == "line 1, column 8: the key a occurs twice")
        #expect(fault("") == "line 1, column 1: the document ends where a value is expected")
    }

    @Test(arguments: [
        ("{\"a\": 1,\n}", "line 1, column 8: a comma before } is not permitted in JSON"),
        ("[\n  1,\n  2 ,\n]", "line 3, column 5: a comma before ] is not permitted in JSON"),
        ("[1 2]", "line 1, column 4: a comma or ] is expected"),
        ("// c\n1", "line 1, column 1: a value is expected; comments are not permitted in JSON"),
        (
            "{\"a\": 1, /* c */ \"b\": 2}",
            "line 1, column 10: a key in quotation marks is expected; comments are not permitted in JSON"
        ),
        ("[1 # c\n]", "line 1, column 4: a comma or ] is expected; comments are not permitted in JSON"),
        (
            "{\"a\": \"é\nb\"}",
            "line 1, column 9: a line break in a string; write \\n, or close the string with a quotation "
                + "mark"
        ),
        ("[\"a\tb\"]", #"line 1, column 4: a tab in a string; write \t"#),
        ("[\"\u{1}\"]", "line 1, column 3: an unescaped control character in a string"),
        ("[\"é\", \"a]", "line 1, column 7: a string is not closed with a quotation mark"),
        (#"["C:\'"]"#, #"line 1, column 5: unknown escape sequence; write \\ for a backslash"#),
        ("{\"a\": 1,", "line 1, column 9: the document ends where a key is expected"),
        ("{a: 1}", "line 1, column 2: a key in quotation marks is expected"),
    ])
    func `a common mistake is named, and its column is counted in characters`(
        text: String, expected: String
    ) {
        #expect(fault(text) == expected)
    }

    @Test(arguments: [
        ("{“a”: 1}", "“", 2), ("{\"a\": “b”}", "“", 7), ("{\"a\": 1, „b“: 2}", "„", 10),
        ("['a']", "'", 2), ("[\"a\"”]", "”", 5),
    ])
    func `a quotation mark of another kind is named`(text: String, mark: String, column: Int) throws {
        let found = try #require(fault(text))
        #expect(found.hasPrefix("line 1, column \(column): "))
        #expect(found.contains("the character \(mark) is not a quotation mark in JSON"))
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\"}", "{\"a\" 1}", "[1 2]", "tru", "truee",
        "nul",
        "'a'", "\"a",
        "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud83d\"", "\"\\ud83dx\"", "\"\\ud83d\\u0041\"",
        "\"\\udc4d\"", "\"\\u0000\"", "\"a\nb\"", "01", "-", "+1", "1.", ".5", "1e", "1e+", "1e999", "0x1",
        "1 2",
        "NaN",
        "// c\n1", "{\"a\":1}}", "\"\\",
    ])
    func `a text that is not JSON is refused`(text: String) {
        #expect(throws: JSONFault.self) { try parse(text) }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xE2, 0x82, 0x22],
        ] as [[UInt8]])
    func `strings that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONFault.self) { try JSONParser.parse(bytes) }
    }

    @Test func `the nesting depth is limited`() throws {
        let depth = JSONParser.maximumDepth
        #expect(throws: Never.self) {
            try parse(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        #expect(throws: JSONFault.self) {
            try parse(String(repeating: "[", count: depth + 1) + String(repeating: "]", count: depth + 1))
        }
        #expect(throws: JSONFault.self) { try parse(String(repeating: "[{\"a\":", count: 100_000)) }
    }

    @Test func `a document that is truncated at any byte is refused without a crash`() {
        let bytes = Array(#"{"a": [1, -2.5e3, "é\ud83d\udc4d\n", true, {"b": null}], "c": "👍"}"#.utf8)
        for length in 0..<bytes.count {
            #expect(throws: JSONFault.self) { try JSONParser.parse(Array(bytes.prefix(length))) }
        }
    }

    @Test func `JSON from another writer is parsed with its original meaning`() throws {
        var dice = SeededRandom(seed: 7)
        for _ in 0..<500 {
            var object: [String: String] = [:]
            for index in 0..<Int.random(in: 0..<8, using: &dice) {
                object["k\(index)" + dice.text(atMost: 4)] = dice.text(atMost: 40)
            }
            let value = try JSONParser.parse(Array(try JSONEncoder().encode(object)))
            guard case .object(let members) = value else {
                Issue.record("not an object")
                continue
            }
            #expect(members.count == object.count)
            for member in members {
                guard case .string(let text) = member.value else {
                    Issue.record("not a string")
                    continue
                }
                #expect(Array(text.unicodeScalars) == object[member.key].map { Array($0.unicodeScalars) })
            }
        }
    }

    @Test func `random bytes cause at most a fault`() {
        var dice = SeededRandom(seed: 11)
        let alphabet = Array("{}[]\",:\\u019aeEtrfn-+. \n\u{1}é".utf8)
        var read = 0
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0..<12, using: &dice)).map { _ in
                alphabet.randomElement(using: &dice) ?? 0
            }
            if let value = try? JSONParser.parse(bytes) {
                read += 1
                // If our parser accepts the bytes, the library must agree that they are JSON.
                #expect(
                    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil,
                    "\(value) from \(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(read > 100)
    }
}
