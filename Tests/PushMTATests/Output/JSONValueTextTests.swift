import PushWire
import Testing
import pushmta

struct JSONValueTextTests {
    @Test func `members keep the order in which they were written`() throws {
        let value: JSONValue = ["zebra": .integer(1), "ape": .array([.boolean(true), .null]), "none": .array([])]
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
            "text": .string("a \"quote\", a\nline and é"), "number": .measure(8_333.33349),
            "large": .integer(Int64.max),
            "inner": ["empty": [:]],
        ]
        let expected: JSONValue = [
            "text": .string("a \"quote\", a\nline and é"), "number": .real(8_333.333), "large": .integer(Int64.max),
            "inner": ["empty": [:]],
        ]
        #expect(try JSONParser.parse(Array(value.text.utf8)) == expected)
        var line: [UInt8] = []
        value.append(to: &line)
        #expect(!line.contains(UInt8(ascii: "\n")))
        #expect(try JSONParser.parse(line) == expected)
    }

    @Test func `what JSON cannot say is null`() {
        #expect(JSONValue.measure(.infinity).text == "null")
        #expect(JSONValue.measure(nil).text == "null")
        #expect(JSONValue.string(nil as String?).text == "null")
    }
}
