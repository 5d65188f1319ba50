import Foundation
import PushAPI
import Testing
import pushmta

/// Tests the text of `status` in terminals of different widths.
struct StatusTextTests: StatusDrafting {
    private static let name =
        "androidPushConnectorV2 production project:neotrips-1a2b3:push@neotrips-1a2b3.iam"

    private func view() throws -> StatusView {
        let app = "customer-loyalty-programme-android"
        return try status(
            [
                delivery(
                    12_345, sent: 1_234_567, targeted: 9_876_543, label: "Sale of the year, the last days"),
                delivery(12_344, "paused", label: "Sale", until: "2026-11-24T00:00:00Z"),
            ],
            [
                account(
                    Self.name, "waiting",
                    reason: "UNAUTHENTICATED: the gateway does not accept the credential",
                    mark: "\(Self.name) #0123abcd", apps: [app, "second"])
            ],
            [
                queue(Self.name, pending: 8_641_976, mark: "\(Self.name) #0123abcd"),
                // The master does not know this account, and no app uses it any longer.
                queue(
                    "androidPushConnectorV2 production project:former-9:p@x", pending: 1, mark: "y #77aa88bb"),
            ]
        ) { master in
            master["children"] = [
                [
                    "pid": 1_234_567, "generation": 12, "state": "working", "outstanding": 20_000,
                    "waiting": 20_000, "inFlight": 1_000, "connections": 100, "residentKilobytes": 99_999,
                ]
            ]
        }
    }

    @Test(arguments: [80, 90, 100, 120])
    func `tables fit the terminal and keep their most important columns`(columns: Int) throws {
        let lines = try view().lines(within: columns)
        let tables = lines.drop { $0 != "children" }
        #expect(tables.count > 10)
        #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
        func expect(_ words: String...) {
            #expect(tables.contains { line in words.allSatisfy { line.contains($0) } }, "\(words): \(tables)")
        }
        expect("PROCESS", "STATE", "OUTSTANDING", "WAITING", "IN FLIGHT")
        expect("ACCOUNT", "STATE", "LIMITED BY")
        expect("QUEUE", "PENDING", "RETRYING", "OLDEST")
        expect("ID", "LABEL", "STATE", "SENT", "FAILED", "WAITING", "RATE")
        expect("customer-", "#0123", "waiting")
        // The line about an account that is held back is wrapped where the terminal ends.
        let text = tables.map { String($0.drop { $0 == " " }) }.joined(separator: " ")
        #expect(text.contains("\(Self.name) is held back: UNAUTHENTICATED"), "\(tables)")
        expect("customer-", "#0123", "8641976")
        expect("former-9#77aa", " 1 ")
        expect("12345", "Sale", "inProgress", "1234567")
    }

    @Test func `if there is no terminal, tables are complete and contain complete account names`() throws {
        let lines = try view().lines
        #expect(lines.contains { $0.contains("GENERATION") && $0.contains("CONNECTIONS") })
        #expect(lines.contains { $0.hasPrefix(Self.name + "  waiting") })
        #expect(lines.count { $0.contains("UNAUTHENTICATED") } == 1)
        #expect(lines.contains { $0.contains("Sale of the year, the last days") })
    }
}
