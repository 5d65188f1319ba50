import Foundation
import TestSupport
import Testing

struct TemplateTests {
    private static func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        try workspace.write(#"{"content": {"title": "Sale", "body": "all of it"}}"#, to: "sale.json")
        return workspace
    }

    private static let sale = ["--service", "neotrips"]
    private static let delivery =
        #"{"label": "Spring", "service": "neotrips", "target": {"all": true}, "content": {"body": "own"}}"#

    @Test func `a template is saved in versions, listed, shown and deleted`() async throws {
        let workspace = try await Self.workspace()
        func save() async throws -> String {
            try await workspace.succeed(["template", "save", "sale", "sale.json"] + Self.sale).output
        }
        #expect(try await save() == "template sale saved: version 1\n")
        #expect(try await save() == "template sale is unchanged: version 1\n")
        try workspace.write(#"{"content": {"title": "Two"}}"#, to: "sale.json")
        #expect(try await save() == "template sale saved: version 2\n")
        let list = try await workspace.succeed("template", "list")
        #expect(list.outputLines.count == 4 && list.output.contains("sale"))
        let shown = try await workspace.succeed(["template", "show", "sale"] + Self.sale)
        #expect(shown.output.contains("versions 1 to 2") && shown.output.contains(#""title": "Two""#))
        let old = try await workspace.succeed(
            ["template", "show", "sale", "--template-version", "1", "--json"] + Self.sale)
        let json = try #require(try old.json() as? [String: Any])
        let content = (json["document"] as? [String: Any])?["content"] as? [String: Any]
        #expect(json["version"] as? Int == 1 && content?["title"] as? String == "Sale")

        let asked = try await workspace.run(["template", "delete", "sale"] + Self.sale)
        #expect(
            asked.status == 3 && asked.errors.contains("its 2 versions") && asked.errors.contains("--yes"))
        let deleted = try await workspace.succeed(["template", "delete", "sale", "--yes"] + Self.sale)
        #expect(deleted.output == "template sale deleted with 2 versions\n")
        #expect(try await workspace.run(["template", "show", "sale"] + Self.sale).status == 3)
        #expect(try await workspace.succeed("audit").output.contains("neotrips/sale version 2"))
    }

    @Test(.eachEngine)
    func `a template holds a whole delivery, and the product's templates belong to no service`()
        async throws
    {
        let workspace = try await Self.workspace()
        try workspace.write(
            #"{"apps": ["ios"], "target": {"userKeys": ["user1"]}, "content": {"title": "Sale"}}"#,
            to: "whole.json")
        try await workspace.succeed(["template", "save", "whole", "whole.json"] + Self.sale)
        let short = #"{"label": "Spring"}"#
        let submitted = try await workspace.succeed(
            "delivery", "submit", "-", "--template", "whole", input: short)
        #expect(submitted.output == "1\n")
        let document = try #require(
            try await workspace.succeed("delivery", "document", "1").json() as? [String: Any])
        #expect(document["apps"] as? [String] == ["ios"] && document["service"] as? String == "neotrips")

        let rows = try await workspace.succeed("template", "list").outputLines
        #expect(rows.contains { $0.hasPrefix("-") && $0.contains("iOS") })
        let shown = try await workspace.succeed("template", "show", "iOS").output
        #expect(shown.contains(#""mutableContent": true"#))
        try await workspace.succeed("delivery", "submit", "-", "--template", "iOS", input: Self.delivery)
        try workspace.write(#"{"content": {"ios": {"sound": "default"}}}"#, to: "own.json")
        let saved = try await workspace.succeed("template", "save", "iOS", "own.json")
        #expect(saved.output == "template iOS saved: version 2\n")
        #expect(
            try await workspace.succeed("template", "delete", "iOS", "--yes").output
                == "template iOS deleted with 2 versions\n")
        let gone = try await workspace.run("template", "delete", "whole", "--yes")
        #expect(gone.status == 3 && gone.errors.contains("name the service of the template: neotrips"))

        try await workspace.succeed(Workspace.stubApp("ipad"))
        try workspace.write(#"{"apps": ["ipad"], "content": {"title": "x"}}"#, to: "ipad.json")
        try await workspace.succeed(["template", "save", "tablets", "ipad.json"] + Self.sale)
        try await workspace.succeed("app", "delete", "ipad", "--yes")
        let stale = try await workspace.run(
            "delivery", "submit", "-", "--template", "tablets", input: Self.delivery)
        #expect(
            stale.status == 3 && stale.errors.contains("template: tablets, version 1 names app ipad"),
            "\(stale.errors)")
    }

    @Test func `deliveries and messages use a template by its name`() async throws {
        let workspace = try await Self.workspace()
        try await workspace.succeed(["template", "save", "sale", "sale.json"] + Self.sale)
        try workspace.write(Self.delivery, to: "delivery.json")
        let options = ["--template", "sale"]
        let submitted = try await workspace.succeed(["delivery", "submit", "delivery.json"] + options)
        #expect(submitted.output == "1\n")
        let shown = try await workspace.succeed("delivery", "show", "1")
        #expect(shown.output.contains("sale, version 1") && shown.output.contains("Sale: own"))
        let preview = try await workspace.succeed(
            ["delivery", "preview", "delivery.json", "--user-key", "user1"] + options)
        #expect(preview.output.contains("Sale") && preview.output.contains("own"))
        let dry = try await workspace.succeed(["delivery", "submit", "delivery.json", "--dry-run"] + options)
        #expect(dry.output.contains("Sale"))
        let proof = try await workspace.succeed(
            ["delivery", "proof", "delivery.json", "--user-keys", "user1"] + options)
        #expect(proof.output == "2\n")
        let bare = try await workspace.succeed(["send", "--app", "ios", "--user-key", "user1"] + options)
        #expect(bare.outputLines.count == 1)
        try await workspace.succeed(
            ["send", "--app", "ios", "--user-key", "user2", "--title", "own"] + options)
    }

    @Test func `a template that differs from the document's template, or does not exist, is refused`()
        async throws
    {
        let workspace = try await Self.workspace()
        try await workspace.succeed(["template", "save", "sale", "sale.json"] + Self.sale)
        try workspace.write(
            Self.delivery.replacing(#""label""#, with: #""template": "other", "label""#), to: "other.json")
        let two = try await workspace.run("delivery", "submit", "other.json", "--template", "sale")
        #expect(
            two.status == 3 && two.errors.contains("other.json: template: the document names a different"))
        let none = try await workspace.run("delivery", "submit", "other.json")
        #expect(none.status == 3 && none.errors.contains("has no template other; it has: sale"))
        let message = try await workspace.run(
            "send", "--app", "ios", "--user-key", "user1", "--template", "other")
        #expect(message.status == 3 && message.errors.contains("has no template other"))
        try workspace.write("{", to: "broken.json")
        let broken = try await workspace.run("delivery", "submit", "broken.json", "--template", "sale")
        #expect(broken.status == 3 && broken.errors.contains("broken.json: not JSON"))
        let unsaved = try await workspace.run(["template", "save", "broken", "broken.json"] + Self.sale)
        #expect(unsaved.status == 3 && unsaved.errors.contains("broken.json: not JSON"))
        for wrong in [
            ["template", "save", "", "sale.json", "--service", "neotrips"],
            ["template", "show", "sale", "--template-version", "0"] + Self.sale,
            ["template", "show", "sale", "--template-version", "x"] + Self.sale,
        ] {
            #expect(try await workspace.run(wrong).status == 2, "\(wrong)")
        }
        // A template may belong to no service, but its file must exist.
        #expect(try await workspace.run("template", "save", "a", "b").status == 1)
    }
}
