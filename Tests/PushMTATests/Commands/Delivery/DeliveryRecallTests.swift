import Foundation
import PushModel
import Testing

struct DeliveryRecallTests {
    private static let second = #"{"content": {"title": "Sorry"}}"#

    @Test func `a recall that is confirmed replaces the content on devices`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(2))
        let content: [String: Any] = ["title": "Hello", "ios": ["collapseId": "sale"]]
        let document = try Workspace.document(["content": content])
        try await workspace.succeed("delivery", "submit", "-", input: document)
        try workspace.settle(DeliveryID(rawValue: 1))
        let unsure = try await workspace.run("delivery", "recall", "1", "--with", "-", input: Self.second)
        #expect(unsure.status == 3 && unsure.errors.contains("add --yes to recall it"), "\(unsure.errors)")
        #expect(unsure.errors.contains("delivery 1 has ended; recalling it would replace 2 messages"))
        let text = try await workspace.succeed(
            "delivery", "recall", "1", "--with", "-", "--yes", input: Self.second)
        #expect(
            text.output == "delivery 1 had ended\ndelivery 2 replaces the sent messages of delivery 1\n",
            "\(text.output)")
        #expect(text.errors.hasSuffix(Workspace.noMaster))
        let json = try await workspace.succeed(
            "delivery", "recall", "1", "--with", "-", "--yes", "--json", input: Self.second
        ).json()
        let recalled = try #require(json as? [String: Any])
        #expect(recalled["replacement"] as? Int == 3 && recalled["isRepeated"] as? Bool == false)
    }

    @Test
    func `recalling an unsent delivery only stops it, and recalling a delivery without a name is refused`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(1))
        let content: [String: Any] = ["title": "Hello", "ios": ["collapseId": "sale"]]
        try await workspace.succeed(
            "delivery", "submit", "-", input: try Workspace.document(["content": content]))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let text = try await workspace.succeed(
            "delivery", "recall", "1", "--with", "-", "--yes", input: Self.second)
        #expect(text.output.hasSuffix("\nnone of its messages was sent, so there is nothing to replace\n"))
        // The stopped delivery has nothing to replace, so there is nothing to confirm.
        let again = try await workspace.succeed("delivery", "recall", "1", "--with", "-", input: Self.second)
        #expect(again.output.hasSuffix("\nnone of its messages was sent, so there is nothing to replace\n"))
        for options in [["--yes"], []] {
            let refused = try await workspace.run(
                ["delivery", "recall", "2", "--with", "-"] + options, input: Self.second)
            #expect(refused.status == 3 && refused.errorLines.count == 1)
            let words = "'pushmta delivery stop 2' stops the messages that are not sent yet"
            #expect(refused.errors.contains(words), "\(refused.errors)")
        }
        let unknown = try await workspace.run(
            "delivery", "recall", "1", "--with", "-", input: #"{"content": {"titel": "x"}}"#)
        #expect(unknown.status == 3 && unknown.errors.contains("content.titel: unknown"), "\(unknown.errors)")
    }
}
