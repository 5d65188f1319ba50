import Foundation
import PushModel
import PushStore
import Testing

struct DeliveryLogTests {
    private static let columns = [
        "messageId", "userKey", "token", "app", "state", "attempts", "failureType",
        "failureReason",
        "providerReason", "providerId", "updatedAt", "receivedAt", "clickedAt", "clicks",
    ]

    private static func settled(_ changes: [String: Any] = [:], options: [String] = []) async throws
        -> Workspace
    {
        let workspace = try await Workspace.withApp(options: options)
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document(changes))
        try workspace.settle(DeliveryID(rawValue: 1)) { place in
            switch place {
            case 0: .failed(.hard, .userUnknown, providerReason: "Unregistered")
            default: .sent(providerID: nil)
            }
        }
        return workspace
    }

    @Test func `the log has one row for each message, under the documented header`() async throws {
        let workspace = try await Self.settled()
        let log = try await workspace.succeed("delivery", "log", "1")
        let rows = log.outputLines.map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(rows.first == Self.columns)
        #expect(rows.count == 4)
        let failed = try #require(rows.first { $0[4] == "failed" })
        #expect(failed[3] == "ios")
        #expect(Array(failed[5...8]) == ["1", "Hard", "User unknown", "Unregistered"])
        #expect(Set(rows.dropFirst().map { $0[1] }) == ["user1", "user2", "user3"])
        #expect(rows.dropFirst().allSatisfy { $0[2].count == 64 && $0[10].hasSuffix("Z") })
    }

    @Test(.eachEngine) func `the log has the device's first reports and the number of clicks`() async throws {
        let workspace = try await Self.settled()
        let store = try workspace.openStore()
        let app = try #require(try store.catalogue.app(named: "ios"))
        let noon = WallMoment(WallTime(secondsSince1970: 1_795_262_400))
        _ = try store.hits.record(
            [(2, HitKind.received), (3, .clicked), (3, .clicked)].map { number, kind in
                HitRecord(
                    delivery: DeliveryID(rawValue: 1), message: MessageID(rawValue: number), number: number,
                    app: app.id, kind: kind, at: noon)
            })
        let time = noon.utcText
        let lines = try await workspace.succeed("delivery", "log", "1").outputLines
        #expect(lines[1].hasSuffix("Z,,,0"))
        #expect(lines[2].hasSuffix("Z,\(time),,0") && lines[3].hasSuffix("Z,\(time),\(time),2"))
    }

    @Test func `the log for one user has that user's messages, even if the device has been removed`()
        async throws
    {
        let workspace = try await Self.settled()
        let all = try await workspace.succeed("delivery", "log", "1").outputLines
        let one = try await workspace.succeed("delivery", "log", "1", "--user-key", "user2").outputLines
        #expect(one == all.filter { $0.hasPrefix("messageId") || $0.contains(",user2,") } && one.count == 2)
        let token = try #require(one.last?.split(separator: ",", omittingEmptySubsequences: false)[2])
        let device = try await workspace.succeed("delivery", "log", "1", "--token", String(token)).outputLines
        #expect(device == one)
        let both = try await workspace.run(
            "delivery", "log", "1", "--token", String(token), "--user-key", "user2")
        #expect(both.status == 2)
        try await workspace.succeed("subscribers", "remove", "--app", "ios", "--user-key", "user2", "--yes")
        let gone = try await workspace.succeed("delivery", "log", "1", "--user-key", "user2").outputLines
        #expect(gone.count == 2 && gone[1].contains(",user2,,ios,"))
        let nobody = try await workspace.succeed("delivery", "log", "1", "--user-key", "nobody").outputLines
        #expect(nobody == [Self.columns.joined(separator: ",")])
    }

    @Test func `the JSON lines contain the same values as the table`() async throws {
        let workspace = try await Self.settled()
        let csv = try await workspace.succeed("delivery", "log", "1").outputLines
        let lines = try await workspace.succeed("delivery", "log", "1", "--format", "jsonl").outputLines
        #expect(lines.count == 3)
        for (line, row) in zip(lines, csv.dropFirst()) {
            let members = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(Set(members.keys) == Set(Self.columns))
            #expect(members["attempts"] as? Int == 1)
            #expect(
                Self.columns.map { name in members[name].map { $0 is NSNull ? "" : "\($0)" } ?? "" }.joined(
                    separator: ",") == row)
        }
    }

    @Test func `messageId in the log is the id that the device received`() async throws {
        let workspace = try await Self.settled(options: ["--message-id-format", "uuid"])
        let store = try workspace.openStore()
        let cipher = MessageIDCipher(key: try store.instanceKey())
        let entries = try store.deliveries.log(of: DeliveryID(rawValue: 1))
        let rows = try await workspace.succeed("delivery", "log", "1").outputLines.dropFirst()
        for (entry, row) in zip(entries, rows) {
            let text = try #require(row.split(separator: ",").first)
            let id = try #require(OpaqueID(text: text))
            #expect(id == cipher.opaqueID(of: entry.message, in: DeliveryID(rawValue: 1)))
        }
        #expect(entries.count == 3)
    }

    @Test func `if an app has integer ids, the log contains the encrypted numbers that its devices received`()
        async throws
    {
        let workspace = try await Self.settled()
        let store = try workspace.openStore()
        let id = DeliveryID(rawValue: 1)
        let integers = MessageIDCipher(key: try store.instanceKey()).integers(of: id)
        let rows = try await workspace.succeed("delivery", "log", "1").outputLines.dropFirst()
        let wanted = try store.deliveries.log(of: id).map { "\(integers.id(of: $0.ordinal))" }
        #expect(rows.map { $0.split(separator: ",").first.map(String.init) } == wanted)
    }

    @Test func `if tracking is off, the log has no ids`() async throws {
        let workspace = try await Self.settled(["tracking": false])
        let rows = try await workspace.succeed("delivery", "log", "1").outputLines.dropFirst()
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0.hasPrefix(",user") })
    }
}
