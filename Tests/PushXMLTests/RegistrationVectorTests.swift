import Foundation
import PushXML
import Testing

/// Tests with the parameters of registrations as Adobe's clients write them, taken from the tests of those
/// clients: `Vectors/sdk-*.json`.
@Suite struct RegistrationVectorTests {
    @Test func `each client's parameters are parsed to the app's original values`() throws {
        let vectors = try Self.vectors("sdk-additional-params")
        #expect(vectors.count == 12)
        for vector in vectors {
            let id = try #require(vector["id"] as? String)
            let expected = try #require(vector["expected"] as? [String: Any])
            let text = try #require(expected["xml"] as? String)
            let encoded = try #require(expected["encoded"] as? String)
            #expect(encoded.removingPercentEncoding == text, "\(id)")
            let given = (vector["input"] as? [[String: Any]] ?? []).compactMap { input -> [String]? in
                guard let name = input["name"] as? String, let value = input["value"], !(value is NSNull)
                else {
                    return nil
                }
                return [name, Self.written(value, type: input["type"] as? String)]
            }
            try expect(text, holds: given, platform: vector["platform"] as? String, id)
        }
    }

    @Test func `the parameters in each registration body are parsed`() throws {
        var bodies = 0
        for vector in try Self.vectors("sdk-registration") {
            let id = try #require(vector["id"] as? String)
            let input = vector["input"] as? [String: Any] ?? [:]
            let given = (input["additionalParameters"] as? [String: Any] ?? [:]).map {
                [$0, Self.written($1, type: nil)]
            }
            let expected = vector["expected"] as? [String: Any] ?? [:]
            let pieces = expected["bodyContains"] as? [String] ?? []
            for piece in pieces + [expected["body"] as? String ?? ""] {
                guard let encoded = piece.split(separator: "=").last, encoded.hasPrefix("%3Cadditional")
                else {
                    continue
                }
                let text = try #require(String(encoded).removingPercentEncoding)
                try expect(text, holds: given, platform: vector["platform"] as? String, id)
                bodies += 1
            }
        }
        #expect(bodies >= 6)
    }

    private func expect(_ text: String, holds given: [[String]], platform: String?, _ id: String) throws {
        let root = try read(text)
        #expect(root.name == (platform == "ios" ? "additionalParams" : "additionalParameters"), "\(id)")
        #expect(!root.hasText && root.attributes.isEmpty, "\(id)")
        let read = root.children.map { $0.attributes.map(\.value) }
        // A map is not ordered.
        #expect(read.sorted { $0[0] < $1[0] } == given.sorted { $0[0] < $1[0] }, "\(id)")
        for child in root.children {
            #expect(child.name == "param" && child.attributes.map(\.name) == ["name", "value"], "\(id)")
        }
    }

    /// Returns a value as the clients write it. Both clients write numbers unchanged and drop line breaks.
    /// Android's client writes a character as its number.
    private static func written(_ value: Any, type: String?) -> String {
        if type?.hasPrefix("Bool") == true, let flag = value as? Bool { return "\(flag)" }
        if type == "Character", let text = value as? String {
            return "\(text.unicodeScalars.first?.value ?? 0)"
        }
        return "\(value)".filter { !$0.isNewline }
    }

    private static func vectors(_ name: String) throws -> [[String: Any]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Vectors/\(name).json")
        return try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]])
    }
}
