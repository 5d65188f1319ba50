import Foundation
import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct TrackingReaderTests {
    /// The requests that the SDKs send according to their own tests.
    private struct Vector: Decodable {
        struct Input: Decodable {
            var _mId: String?
            var _dId: String?
            var tagId: Int
        }
        struct Expected: Decodable {
            var request: Bool
            var url: String?
            var broadlogHex: String?
        }
        var id: String
        var input: Input
        var expected: Expected
    }

    private static func vectors() throws -> [Vector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Vectors/sdk-tracking.json")
        return try JSONDecoder().decode([Vector].self, from: try Data(contentsOf: file))
    }

    private func read(_ query: String) -> Result<TrackingHit, TrackingReader.Unknown> {
        Result { () throws(TrackingReader.Unknown) in try TrackingReader.read(query: Array(query.utf8)) }
    }

    private func hit(_ message: TrackingHit.Message, _ delivery: Int64 = 7, _ kind: HitKind = .received)
        -> Result<TrackingHit, TrackingReader.Unknown>
    {
        .success(TrackingHit(message: message, delivery: DeliveryID(rawValue: delivery), kind: kind))
    }

    @Test func `every request from both SDKs is parsed with its meaning`() throws {
        var count = 0
        for vector in try Self.vectors() where vector.expected.request {
            count += 1
            let url = try #require(vector.expected.url)
            let delivery = try #require(vector.input._dId)
            let query = try #require(url.split(separator: "?").last).description
            // The SDKs' tests contain delivery ids that none of our servers would assign.
            #expect(read(query) == .failure(.delivery), "\(vector.id)")
            let ours = query.replacing(",\(delivery),", with: ",2147483647,")
            let message: TrackingHit.Message
            if let hex = vector.expected.broadlogHex {
                message = .integer(try #require(UInt64(hex, radix: 16)))
            } else {
                let text = try #require(vector.input._mId)
                message = .uuid(try #require(OpaqueID(text: text)))
            }
            let kind = try #require(HitKind(rawValue: Int64(vector.input.tagId)))
            #expect(read(ours) == hit(message, 0x7FFF_FFFF, kind), "\(vector.id)")
        }
        #expect(count == 12)
    }

    @Test(
        arguments: [
            ("id=h5,7,1", 5), ("id=h05,7,1", 5), ("id=hd7e15e5c,7,1", 0xD7E1_5E5C),
            ("id=hD7E15E5C,7,1", 0xD7E1_5E5C),
            ("id=hffffffffd7e15e5c,7,1", 0xFFFF_FFFF_D7E1_5E5C),
            ("id=h7fffffffffffffff,7,1", 0x7FFF_FFFF_FFFF_FFFF),
            ("id=h000000000000000000000000005,7,1", 5), ("id=h0,7,1", 0), ("x=1&id=h5,7,1&y=2", 5),
            ("id=h5%2C7%2c1", 5), ("id=%685,7,1", 5), ("&&id=h5,7,1&", 5),
        ] as [(String, UInt64)])
    func `an integer is parsed as a number, whatever its padding and case`(query: String, bits: UInt64) {
        #expect(read(query) == hit(.integer(bits)))
    }

    @Test func `a UUID is parsed in upper or lower case`() throws {
        let text = "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"
        let id = try #require(OpaqueID(text: text))
        #expect(read("id=h\(text),7,2") == hit(.uuid(id), 7, .clicked))
        #expect(read("id=h\(text.uppercased()),7,2") == hit(.uuid(id), 7, .clicked))
    }

    @Test(
        arguments: [
            ("", .noID), ("di=h5,7,1", .noID), ("id=h5,7,1&id=h6,7,1", .noID), ("ID=h5,7,1", .noID),
            ("id=", .form), ("id=h", .form), ("id=5,7,1", .form), ("id=s5,7,1", .form), ("id=h5,7", .form),
            ("id=h5,7,1,1", .form), ("id=h5,7,1%2", .form), ("id=h5,7,1%zz", .form),
            ("id=h,7,1", .message), ("id=hxyz,7,1", .message), ("id=h-5,7,1", .message),
            ("id=h 5,7,1", .message),
            ("id=h10000000000000000,7,1", .message), ("id=h5+,7,1", .message), ("id=h%005,7,1", .message),
            ("id=he621e1f8-c36c-495a-93fc-0c247a3e6e5,7,1", .message),
            ("id=he621e1f8-c36c-495a-93fc-0c247a3e6e5fa,7,1", .message),
            ("id=h5,,1", .delivery), ("id=h5,0,1", .delivery), ("id=h5,-7,1", .delivery),
            ("id=h5,7a,1", .delivery),
            ("id=h5,2147483648,1", .delivery), ("id=h5,99999999999999999999,1", .delivery),
            ("id=h5,7,", .tag), ("id=h5,7,0", .tag), ("id=h5,7,3", .tag), ("id=h5,7,12", .tag),
            ("id=h5,7,a", .tag),
            ("id=h5,7,%FF", .tag),
        ] as [(String, TrackingReader.Unknown)])
    func `a query that is not a hit is refused with a reason`(query: String, reason: TrackingReader.Unknown) {
        #expect(read(query) == .failure(reason))
    }

    @Test func `a query that is too long is not parsed`() {
        let longest = String(repeating: "&", count: TrackingReader.maximumBytes - 9)
        #expect(read("id=h5,7,1" + longest) == hit(.integer(5)))
        #expect(read("id=h5,7,1&" + longest) == .failure(.tooLong))
        #expect(read(String(repeating: "id=h5,7,1&", count: 1_000_000)) == .failure(.tooLong))
    }

    @Test func `mutated queries lead to a hit or a reason, each in a limited time`() {
        var mutation = Mutation(seed: 15)
        let seeds = [
            "id=h281ea1a4,17,1", "id=hE621E1F8-C36C-495A-93FC-0C247A3E6E5F,17,2", "a=b&id=h05,7,2&c",
        ]
        .map { Array($0.utf8) }
        var hits = 0
        for round in 0..<100_000 {
            let query = mutation.mutated(seeds[round % seeds.count])
            if let hit = try? TrackingReader.read(query: query) {
                hits += 1
                #expect((1...0x7FFF_FFFF).contains(hit.delivery.rawValue))
            }
        }
        // The reader accepts enough of the mutated queries that its later steps are tested, too.
        #expect(hits > 5_000)
    }
}
