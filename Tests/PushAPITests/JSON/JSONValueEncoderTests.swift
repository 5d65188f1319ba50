import FoundationEssentials
import PushAPI
import PushModel
import PushWire
import Testing

struct JSONValueEncoderTests {
    private struct Inner: Codable, Equatable {
        var deep: [Int]
        var flag: Bool
    }
    private struct Outer: Codable, Equatable {
        var zebra: String
        var ape: Int64?
        var real: Double?
        var name: String?
        var at: WallMoment?
        var inner: Inner?
        var list: [Inner]
        var words: [String: Int]
        var small: UInt8
    }

    @Test func `members keep the order of the source, and nil becomes null`() throws {
        let value = Outer(
            zebra: "z", ape: nil, real: nil, name: nil, at: nil, inner: nil,
            list: [Inner(deep: [1], flag: true)],
            words: ["one": 1], small: 255)
        #expect(
            try JSONValue(encoding: value) == [
                "zebra": .string("z"), "ape": .null, "real": .null, "name": .null, "at": .null,
                "inner": .null,
                "list": .array([["deep": .array([.integer(1)]), "flag": .boolean(true)]]),
                "words": ["one": .integer(1)], "small": .integer(255),
            ])
    }

    @Test func `reading back a written value returns the same value`() throws {
        let value = Outer(
            zebra: "a \"quote\" and é\n", ape: .min, real: 8_333.333, name: "", at: TestInstance.noon,
            inner: Inner(deep: [], flag: false), list: [], words: [:], small: 0)
        var bytes: [UInt8] = []
        try JSONValue(encoding: value).append(to: &bytes)
        #expect(try JSONDecoder().decode(Outer.self, from: Data(bytes)) == value)
    }

    @Test func `a value can be encoded alone, and a number beyond 64 bits is an error`() throws {
        #expect(try JSONValue(encoding: "x") == .string("x"))
        #expect(try JSONValue(encoding: [1, 2]) == .array([.integer(1), .integer(2)]))
        #expect(try JSONValue(encoding: DeliveryState.inProgress) == .string("inProgress"))
        #expect(try JSONValue(encoding: DeliveryID(rawValue: 7)) == .integer(7))
        #expect(throws: EncodingError.self) { _ = try JSONValue(encoding: ["n": UInt64.max]) }
    }
}
