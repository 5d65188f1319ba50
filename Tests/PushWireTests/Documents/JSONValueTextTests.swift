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

    @Test func `what is printed reads as what it was`() throws {
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

    @Test func `what JSON cannot say is null`() {
        #expect(JSONValue.real(.infinity).text == "null")
        #expect(JSONValue.real(.nan).text == "null")
    }
}
