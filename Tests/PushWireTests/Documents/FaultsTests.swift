import GatewayAPNs
import PushModel
import PushWire
import TestContents
import Testing

/// Tests that faults are values with a path, and that no fault contains a secret, a device token or a
/// payload.
@Suite struct FaultsTests {
    private static func faults(_ text: String) -> [String] { faults(Array(text.utf8)) }

    private static func faults(_ bytes: [UInt8]) -> [String] {
        do throws(WireError) {
            _ = try DeliveryDocument.parse(bytes)
            return []
        } catch {
            return error.lines
        }
    }

    @Test func `a duplicate member of an object is a fault with its path`() {
        #expect(
            Self.faults(
                #"{"label":"a","content":{"ios":{"badge":1,"badge":2}},"label":"b","apps":[{"x":1,"x":2}]}"#)
                == ["content.ios.badge: given twice", "label: given twice", "apps[0].x: given twice"])
        #expect(throws: JSONFault.self) { try JSONParser.parse(Array(#"{"a":{"b":1,"b":2}}"#.utf8)) }
    }

    @Test func `bytes that are not JSON in UTF-8 are reported as malformed`() {
        func isMalformed(_ bytes: [UInt8]) -> String? {
            do throws(WireError) {
                _ = try JSONParser.document(bytes)
                return nil
            } catch {
                if case .malformed(let problem) = error { return problem }
                return "\(error)"
            }
        }
        let text = #"{"label":"a"}"#
        #expect(isMalformed(Array(text.utf8)) == nil)
        #expect(isMalformed([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == nil)
        let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for bytes in [wide, [0xFF, 0xFE] + wide, Array(#"{"label":""#.utf8) + [0xFF] + Array("\"}".utf8)] {
            #expect(isMalformed(bytes)?.hasPrefix("not UTF-8; JSON must be UTF-8: ") == true)
        }
        #expect(isMalformed(Array(#"{"label""#.utf8))?.hasPrefix("not JSON: line 1, column 9: ") == true)
        #expect(isMalformed([])?.hasPrefix("not JSON: ") == true)
    }

    @Test func `faults above the maximum are only counted`() {
        let members = (0..<250).map { "\"x\($0)\":1" }.joined(separator: ",")
        let lines = Self.faults("{\(members)}")
        #expect(lines.count == Faults.maxListed + 1)
        #expect(lines.last == "154 more faults are not listed")
        let repeated = Self.faults("{\(repeatElement("\"a\":1", count: 5_000).joined(separator: ","))}")
        #expect(repeated.count <= Faults.maxListed)
    }

    @Test func `a fault shows the found value, shortened and printable`() {
        var faults = Faults()
        func refusal(_ json: JSONValue) -> String? {
            let _: Int? = faults.refuse(json, at: "a", "an integer")
            return faults.all.last?.problem
        }
        #expect(refusal(.string("x")) == #"must be an integer, not "x""#)
        #expect(refusal(.real(1.5)) == "must be an integer, not 1.5")
        #expect(refusal(.array([.string("x")])) == "must be an integer, not an array")
        let long = refusal(.string("\u{1B}[31m\n" + String(repeating: "y", count: 1_000))) ?? ""
        #expect(long.utf8.count < 200 && !long.contains("\u{1B}") && !long.contains("\n"))
    }

    @Test(arguments: [
        #"{"app":"a","token":["SECRET"],"content":{"title":"t"}}"#,
        #"{"app":"a","userKey":{"x":"SECRET"},"content":{"title":"t"}}"#,
        #"{"app":"a","token":"t","content":{"title":["SECRET"],"ios":{"type":"SECRET","badge":"SECRET"}}}"#,
        #"{"app":"a","token":"t","content":"SECRET"}"#,
        #"{"app":"a","token":"t","content":{"title":"t"},"idempotencyKey":"SECRET\u00e9"}"#,
        #"{"app":"a","token":"t","content":{"title":"t","languages":{"fr":{"title":"t","ios":{"badge":"SECRET"}}}}}"#,
    ])
    func `no fault contains a token, a key or any part of a payload`(text: String) throws {
        let value = try #require(try MessageDocument.values(of: Array(text.utf8)).first)
        let error = #expect(throws: WireError.self) {
            try MessageDocument.read(value) { value throws(WireError) in try ContentDocument.read(value) }
        }
        #expect(error?.description.contains("SECRET") == false)
        #expect(error?.description.contains("must ") == true)
    }
}
