import PushModel
import PushStore
import Testing

struct DeliveryRetryFailedTests {
    @Test func `failed messages are sent again, and the command prints one line or JSON`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        for _ in 1...2 {
            try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        }
        for id in 1...2 {
            try workspace.settle(DeliveryID(rawValue: Int64(id))) { place in
                place == 0
                    ? .sent(providerID: nil) : .failed(.soft, .refused, providerReason: "ServiceUnavailable")
            }
        }
        let text = try await workspace.succeed("delivery", "retry-failed", "1")
        #expect(text.output.hasPrefix("2 messages of delivery 1 will be sent again until "))
        #expect(text.errors == Workspace.noMaster)
        let json = try await workspace.succeed(
            "delivery", "retry-failed", "2", "--json", "--reason", "Refused"
        ).json()
        let members = try #require(json as? [String: Any])
        #expect(
            Set(members.keys) == ["delivery", "retried", "excluded", "gone", "hopeless", "expiresAt"])
        #expect(members["retried"] as? Int == 2)
        let shown = try await workspace.succeed("delivery", "show", "2").outputLines
        let fields = shown.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(fields.contains("state inProgress") && fields.contains("retrying 2"))
        #expect(fields.contains("failed 0") && fields.contains("finished not yet"))
    }

    @Test(arguments: [
        (["1"], 3, "no failed message"), (["9"], 3, "there is no delivery 9"), (["x"], 2, "x"), ([], 2, "id"),
        (["1", "--reason"], 2, "reason"),
    ])
    func `a retry that is impossible is refused in one line`(
        arguments: [String], status: Int32, why: String
    ) async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let finished = try await workspace.run(["delivery", "retry-failed"] + arguments)
        #expect(finished.status == status)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.contains(why), "\(finished.errors)")
        if status == 3 { #expect(finished.errorLines.count == 1) }
    }
}
