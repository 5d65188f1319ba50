import PushWire
import Testing

struct JSONValueTextTests {
    @Test func `members keep the order in which they were written`() throws {
        let value: JSONValue = [
            "zebra": .integer(1), "ape": .array([.boolean(true), .null]), "none": .array([]),
        ]
        let text = """
            {
              "zebra": 1,
              "ape": [
                true,
                null
              ],
              "none": []
            }
            """
        #expect(value.text == text)
    }

    @Test func `equal values have the same sorted text, whatever the order of their members`() throws {
        let (one, other) = (
            #"{"b": [{"z": 1, "y": "é"}], "a": {}, "B": null}"#, #"{"B":null,"a":{},"b":[{"y":"é","z":1}]}"#
        )
        let value = try JSONParser.parse(Array(one.utf8)).sorted
        #expect(value == (try JSONParser.parse(Array(other.utf8)).sorted))
        var line: [UInt8] = []
        value.append(to: &line)
        #expect(String(decoding: line, as: UTF8.self) == other)
    }

    @Test func `in the canonical form, a whole number is an integer, however it was written`() throws {
        let (one, other) = (
            "[1.0, 1e2, -0.0, 9007199254740993, 1.5, 1e300]", "[1, 100, 0, 9007199254740993, 1.5, 1e300]"
        )
        let value = try JSONParser.parse(Array(one.utf8)).canonical
        #expect(value == (try JSONParser.parse(Array(other.utf8)).canonical))
    }

    @Test func `parsing a printed text yields the same value`() throws {
        let value: JSONValue = [
            "text": .string("a \"quote\", a\nline and é"), "number": .real(8_333.333),
            "large": .integer(Int64.max),
            "inner": ["empty": [:]],
        ]
        #expect(try JSONParser.parse(Array(value.text.utf8)) == value)
        var line: [UInt8] = []
        value.append(to: &line)
        #expect(!line.contains(UInt8(ascii: "\n")))
        #expect(try JSONParser.parse(line) == value)
    }

    @Test func `a value that JSON cannot express is written as null`() {
        #expect(JSONValue.real(.infinity).text == "null")
        #expect(JSONValue.real(.nan).text == "null")
    }
}
