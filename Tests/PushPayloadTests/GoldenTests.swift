import Foundation
import GatewayAPNs
import PushModel
import PushWire
import TestContents
import Testing

@Suite struct GoldenTests {
    @Test(arguments: GoldenFile.all)
    func `a document is rendered to exactly these payloads, which another JSON reader parses alike`(
        file: GoldenFile
    )
        throws
    {
        let document = try file.document()
        var compared = 0
        for gateway in GoldenGateway.allCases {
            guard let expected = file.sections["\(gateway.rawValue) payload"] else { continue }
            compared += 1
            let payload = try gateway.payload(of: document)
            #expect(Array(payload.utf8) == Array(expected.utf8), "\(payload)")
            let tree = try JSONSerialization.jsonObject(with: Data(payload.utf8))
            #expect(Self.isSame(tree, try JSONSerialization.jsonObject(with: Data(expected.utf8))))
            let reads = file.pairs("\(gateway.rawValue) reads", at: " = ")
            #expect(!reads.isEmpty || gateway == .fcmLegacy)
            for (path, json) in reads {
                let value = try JSONSerialization.jsonObject(
                    with: Data(json.utf8), options: .fragmentsAllowed)
                #expect(Self.isSame(Self.value(in: tree, at: path), value), "\(path)")
            }
        }
        #expect(compared > 0)
    }

    @Test(arguments: GoldenFile.all.filter { $0.sections["apns payload"] != nil })
    func `a content is rendered to exactly these APNs header fields`(file: GoldenFile) throws {
        let content = try ContentDocument.decode(try file.document().contentJSON)
        let heading = APNsHeading(content.ios)
        let fields = APNsRequest.constantFields(
            authority: "gateway", bundleID: "com.example.neotrips", heading: heading,
            expiration: WallTime(secondsSince1970: 0), authorization: nil)
        let decided = fields.filter { $0.name.hasPrefix("apns-") && $0.name != "apns-expiration" }
        let expected = file.pairs("apns headers", at: ": ").map { "\($0.0)=\($0.1)" }
        #expect(decided.map { "\($0.name)=\($0.value)" } == expected)
        for (_, item) in file.pairs("apns binary", at: " = ") {
            #expect(String(heading.priority.binaryItem) == item)
        }
    }

    // MARK: None is missing

    /// The objects of a content in which a key may occur, each with a content that has an unknown key in this
    /// object.
    private static let objects = [
        ("", #"{"?": 1}"#), ("ios", #"{"ios": {"?": 1}}"#), ("android", #"{"android": {"?": 1}}"#),
        ("ios.sound", #"{"ios": {"sound": {"name": "a", "?": 1}}}"#),
        (
            "android.lightSettings",
            ##"{"android": {"lightSettings": {"color": "#000000", "onDuration": "1s", "offDuration": "1s", "?": 1}}}"##
        ),
    ]

    @Test(arguments: objects)
    func `a golden file covers every key that the document parser knows`(path: String, content: String) throws
    {
        let known = try Self.words(behind: "allowed: ", in: content)
        #expect(known.count > 1)
        let trees = try GoldenFile.all.map { try $0.contentTree() }
        for key in known {
            let whole = path.isEmpty ? key : "\(path).\(key)"
            #expect(trees.contains { Self.value(in: $0, at: whole) != nil }, "\(whole)")
        }
    }

    @Test(arguments: [
        "ios.type", "ios.interruptionLevel", "ios.priority", "android.type", "android.priority",
        "android.notificationPriority", "android.visibility", "android.proxy",
    ])
    func `a golden file covers every value of an enumerated option`(path: String) throws {
        let keys = path.split(separator: ".")
        let known = try Self.words(
            behind: "must be one of ",
            in: "{\"\(keys[0])\": {\"\(keys[1])\": \(path == "ios.priority" ? "7" : "\"?\"")}}")
        #expect(known.count > 1)
        let trees = try GoldenFile.all.map { try $0.contentTree() }
        for word in known {
            let value: Any = Int(word) ?? word
            #expect(trees.contains { Self.isSame(Self.value(in: $0, at: path), value) }, "\(path) \(word)")
        }
    }

    @Test func `a golden file covers every documented option`() throws {
        let list = GoldenFile.folder.appending(path: "documented.txt")
        let rows = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
        #expect(rows.count > 40)
        let names = Set(GoldenFile.all.map(\.name))
        for row in rows {
            let files = row.split(separator: "|").last.map { $0.split(separator: " ").map(String.init) } ?? []
            #expect(!files.isEmpty && row.contains("|") && names.isSuperset(of: files), "\(row)")
        }
    }

    /// Returns the keys that the parser lists when it refuses a content.
    private static func words(behind mark: String, in content: String) throws -> [String] {
        do {
            _ = try ContentDocument.decode(Array(content.utf8))
        } catch {
            let lines = error.lines.filter { $0.contains(mark) }
            let list = try #require(lines.first?.range(of: mark).map { lines[0][$0.upperBound...] })
            return list.replacing(" for type alert", with: "").split(separator: ", ")
                .map { $0.trimmingCharacters(in: ["\""]) }
        }
        Issue.record("it was not refused: \(content)")
        return []
    }

    // MARK: Trees of JSONSerialization

    /// Returns the value at a path such as `aps.alert.loc-args[0]`.
    private static func value(in tree: Any, at path: String) -> Any? {
        var value: Any? = tree
        for step in path.replacing("[", with: ".[").split(separator: ".") {
            if step.hasPrefix("["), let index = Int(step.dropFirst().dropLast()) {
                let elements = value as? [Any] ?? []
                value = elements.indices.contains(index) ? elements[index] : nil
            } else {
                value = (value as? [String: Any])?[String(step)]
            }
        }
        return value
    }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        switch (left, right) {
        case (let left as [String: Any], let right as [String: Any]):
            left.count == right.count && left.allSatisfy { isSame($0.value, right[$0.key]) }
        case (let left as [Any], let right as [Any]):
            left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (let left as String, let right as String): Array(left.utf8) == Array(right.utf8)
        case (let left as NSNumber, let right as NSNumber): left == right
        case (is NSNull, is NSNull): true
        default: false
        }
    }
}
