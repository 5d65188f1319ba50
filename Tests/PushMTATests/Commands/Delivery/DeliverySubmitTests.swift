import Foundation
import PushModel
import PushStore
import Testing

struct DeliverySubmitTests {
    private static let addressed = #""service":"neotrips","apps":["ios"]"#
    private static let rest = #""target":{"all":true},"allowEmpty":true,"content":{"title":"x"}"#
    private static let good = #""label":"L",\#(addressed),\#(rest)"#

    private static func submitting(_ document: String, _ options: String...) async throws -> (
        Workspace, Finished
    ) {
        let workspace = try await Workspace.withApp()
        try workspace.write(document, to: "delivery.json")
        let finished = try await workspace.run(["delivery", "submit", "delivery.json"] + options)
        return (workspace, finished)
    }

    @Test func `standard output contains only the id of the delivery`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(1))
        try workspace.write(try Workspace.document(["allowEmpty": NSNull()]), to: "delivery.json")
        let finished = try await workspace.run("delivery", "submit", "delivery.json")
        #expect(finished.status == 0)
        #expect(finished.output == "1\n")
        #expect(finished.errors == Workspace.noMaster)
        let second = try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        #expect(second.output == "2\n")
    }

    @Test(arguments: [
        ("{", "not JSON"), ("", "not JSON"), ("[]", "object"),
        (#"{\#(good),"ap":1}"#, "ap"),
        (#"{"label":1,\#(addressed),"target":{"all":true},"content":{"title":"x"}}"#, "label"),
        (#"{"label":"L",\#(addressed),"target":{"all":false},"content":{"title":"x"}}"#, "target.all"),
        (#"{"label":"L",\#(addressed),"content":{"title":"x"}}"#, "target"),
        (#"{"label":"L",\#(addressed),"target":{"all":true},"content":{"title":7}}"#, "content.title"),
        (#"{"label":"L",\#(addressed),"target":{"all":true},"content":{}}"#, "title"),
        (#"{"label":"L","service":"neotrips","apps":["droid"],\#(rest)}"#, "droid"),
        (#"{"label":"L","service":"other","apps":["ios"],\#(rest)}"#, "other"),
        (#"{"label":"L",\#(addressed),"target":{"all":true},"content":{"variables":{"aps":"y"}}}"#, "aps"),
    ])
    func `an invalid delivery is refused with the position of the fault and is not stored`(
        document: String, place: String
    ) async throws {
        let (workspace, finished) = try await Self.submitting(document)
        #expect(finished.status == 3)
        #expect(finished.output.isEmpty)
        #expect(finished.errorLines.count == 1, "\(finished.errors)")
        #expect(finished.errors.hasPrefix("pushmta: delivery.json: "))
        #expect(finished.errors.contains(place))
        let list = try await workspace.succeed("delivery", "list", "--json")
        #expect((try list.json() as? [Any])?.isEmpty == true)
    }

    @Test func `all faults in a document are reported together`() async throws {
        let (_, finished) = try await Self.submitting(
            try Workspace.document(["label": 1, "tracking": "yes", "more": true]))
        #expect(finished.status == 3)
        #expect(finished.errorLines.count == 3)
        #expect(finished.errorLines.allSatisfy { $0.hasPrefix("pushmta: delivery.json: ") })
    }

    @Test
    func `submit prints a delivery's environments on standard error, unless production is the only one`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let test = try await workspace.run(Workspace.stubApp("test") + ["--environment", "sandbox"])
        #expect(test.status == 0, "\(test.errors)")
        func submit(_ environments: [String]?, _ options: String...) async throws -> Finished {
            let document = try Workspace.document([
                "apps": NSNull(), "environments": environments as Any? ?? NSNull(),
            ])
            return try await workspace.succeed(["delivery", "submit", "-"] + options, input: document)
        }
        #expect(try await !submit(nil).errors.contains("goes to"))
        #expect(try await submit(["sandbox"]).errors.hasPrefix("delivery 2 goes to sandbox\n"))
        let both = ["production", "sandbox"]
        #expect(try await submit(both).errors.hasPrefix("delivery 3 goes to sandbox and production\n"))
        let json = try await submit(both, "--json").json() as? [String: Any]
        #expect(json?["environments"] as? [String] == ["sandbox", "production"])
        let dry = try await submit(both, "--dry-run").output
        #expect(dry.contains("environments") && dry.contains("sandbox, production\n"))
    }

    @Test func `a payload that exceeds the limit is refused with its size and the limit`() async throws {
        let long = String(repeating: "x", count: 3_900)
        let (workspace, finished) = try await Self.submitting(
            try Workspace.document(["content": ["title": "t", "body": long]]))
        #expect(finished.status == 0)

        let longer = try Workspace.document(["content": ["title": "t", "body": long + long]])
        let refused = try await workspace.run("delivery", "submit", "-", input: longer)
        #expect(refused.status == 3)
        #expect(refused.errorLines.count == 1)
        #expect(refused.errors.contains("app ios"))
        #expect(refused.errors.contains("4096"))
        #expect(refused.errors.contains("payload too long: 78"))
        #expect(
            try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document()).output
                == "2\n")
    }

    @Test(
        arguments: [
            (["body": "x", "variables": ["google.x": "1"]], "google.x"),
            (["title": "x", "custom": ["title": "1"]], "title"),
            (["body": "x", "variables": ["from": "1"]], "from"),
            (["variables": ["a": "b"], "android": ["type": "notification"]], "android.type"),
            (["body": String(repeating: "x", count: 4_096)], "4096"),
        ] as [([String: any Sendable], String)])
    func `content that cannot be sent to an Android app is refused with the app's name`(
        content: [String: any Sendable], place: String
    ) async throws {
        let workspace = try await Workspace.withApp()
        #expect(try await workspace.run(Workspace.stubApp("droid", platform: "android")).status == 0)
        let document = try Workspace.document(["apps": ["droid"], "content": content])
        let finished = try await workspace.run("delivery", "submit", "-", input: document)
        #expect(finished.status == 3)
        #expect(finished.output.isEmpty)
        #expect(finished.errorLines.count == 1)
        #expect(finished.errors.hasPrefix("pushmta: standard input: app droid: "), "\(finished.errors)")
        #expect(finished.errors.contains(place))
        let list = try await workspace.succeed("delivery", "list", "--json")
        #expect((try list.json() as? [Any])?.isEmpty == true)
    }

    @Test func `content for two platforms is checked for each app`() async throws {
        let workspace = try await Workspace.withApp(options: ["--variable", "screen", "--variable", "gcm="])
        #expect(try await workspace.run(Workspace.stubApp("droid", platform: "android")).status == 0)
        func submit(_ content: [String: Any]) async throws -> Finished {
            let document = try Workspace.document(["apps": ["ios", "droid"], "content": content])
            return try await workspace.run("delivery", "submit", "-", input: document)
        }
        #expect(try await submit(["body": "x", "variables": ["screen": "offers"]]).output == "1\n")
        #expect(try await submit(["body": "x"]).errors.contains("app ios: "))
        let reserved = try await submit(["body": "x", "variables": ["screen": "s", "gcm": "1"]])
        #expect(reserved.errors.contains("app droid: "))
        let texts: [String: Any] = [
            "title": "t", "variables": ["screen": "s"],
            "android": ["type": "notification", "channelId": "offers"],
        ]
        #expect(try await submit(texts).output == "2\n")
    }

    @Test func `a payload is measured in the form that the credential's interface uses`() async throws {
        let workspace = try await Workspace.withAndroidApp("--service-account service-account.json")
        let legacy = try await workspace.run(
            Workspace.androidApp("legacy") + Workspace.withFixtures("--project-key-file project-key.txt"))
        #expect(legacy.status == 0, "\(legacy.errors)")
        // In the legacy interface, arguments are the text of an array, so a quotation mark is escaped twice.
        let android: [String: Any] = [
            "type": "notification", "bodyLocKey": "offer",
            "bodyLocArgs": [String(repeating: "\"", count: 1_500)],
        ]
        func submit(to app: String) async throws -> Finished {
            let document = try Workspace.document(["apps": [app], "content": ["android": android]])
            return try await workspace.run("delivery", "submit", "-", input: document)
        }
        #expect(try await submit(to: "droid").output == "1\n")
        let refused = try await submit(to: "legacy")
        #expect(refused.status == 3)
        #expect(refused.errors.contains("app legacy: payload too long"))
    }

    @Test func `a delivery to a service without apps is refused for lack of recipients`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed("service", "create", "empty")
        let finished = try await workspace.run(
            "delivery", "submit", "-", input: try Workspace.document(["service": "empty"]))
        #expect(finished.status == 3)
        #expect(finished.errors.contains("empty"))
    }

    @Test func `user keys can be read from a file`() async throws {
        let workspace = try await Workspace.withApp()
        try workspace.write("u1\r\n\nu2\n", to: "keys.txt")
        try workspace.write(try Workspace.document(["target": NSNull()]), to: "delivery.json")
        try await workspace.succeed("delivery", "submit", "delivery.json", "--user-keys", "keys.txt")
        let delivery = try workspace.openStore().deliveries.delivery(DeliveryID(rawValue: 1))
        #expect(delivery?.order.target == .userKeys(["u1", "u2"]))
    }

    @Test func `a file can have more recipients than a document, and variables for each recipient`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let document = try Workspace.document(["target": NSNull(), "content": ["body": "{{code|-}}"]])
        try workspace.write(document, to: "delivery.json")
        try workspace.write((0...10_000).map { "u\($0)\n" }.joined(), to: "many.txt")
        try workspace.write("userKey,code\nu1,A1\nu1,A2\n", to: "table.csv")
        let many = try await workspace.succeed(
            "delivery", "submit", "delivery.json", "--user-keys", "many.txt")
        #expect(many.output == "1\n")
        let dry = try await workspace.succeed(
            "delivery", "submit", "delivery.json", "--recipients", "table.csv", "--dry-run")
        #expect(dry.errors.contains("table.csv: 1 of the lines repeat a recipient"))
        let sent = try await workspace.succeed(
            "delivery", "submit", "delivery.json", "--recipients", "-", input: "{\"userKey\": \"u1\"}\n")
        #expect(sent.output == "2\n")
        let shown = try await workspace.succeed("delivery", "show", "1")
        #expect(shown.output.contains("10 001 user keys"))
        for options in [
            ["delivery.json", "--recipients", "table.csv", "--user-keys", "many.txt"],
            ["-", "--recipients", "-"],
        ] {
            let refused = try await workspace.run(["delivery", "submit"] + options)
            #expect(refused.status == 2 && refused.output.isEmpty)
        }
    }

    @Test func `user keys are refused if they are given twice, missing or truncated`() async throws {
        let workspace = try await Workspace.withApp()
        try workspace.write(try Workspace.document(), to: "with-target.json")
        try workspace.write(try Workspace.document(["target": NSNull()]), to: "without.json")
        try workspace.write("u1\n", to: "one.txt")
        try workspace.write("\n\n", to: "none.txt")
        try workspace.write((0...10_000).map { "u\($0)\n" }.joined() + "u1", to: "many.txt")
        for (document, keys, hint) in [
            ("with-target.json", "one.txt", "target"), ("without.json", "none.txt", "no user key"),
            ("without.json", "many.txt", "line 10002: the file ends within a line"),
        ] {
            let finished = try await workspace.run("delivery", "submit", document, "--user-keys", keys)
            #expect(finished.status == 3)
            #expect(finished.errorLines.count == 1)
            #expect(finished.errors.contains(hint))
        }
    }

    @Test func `a target that matches nothing is refused, unless the document allows it`() async throws {
        let workspace = try await Workspace.withApp()
        let document = try Workspace.document([
            "allowEmpty": NSNull(), "target": ["where": ["town": "Paris"]],
        ])
        let refused = try await workspace.run("delivery", "submit", "-", input: document)
        #expect(refused.status == 3)
        #expect(refused.output.isEmpty && refused.errorLines.count == 1)
        #expect(
            refused.errors.contains(
                "target: the target contains no subscriber: no subscriber has a parameter \"town\""))
        #expect(refused.errors.contains("allowEmpty"))
        let allowed = try await workspace.succeed(
            "delivery", "submit", "-", "--json", input: try Workspace.document())
        let answer = try #require(try allowed.json() as? [String: Any])
        #expect(answer["id"] as? Int == 1)
        #expect(allowed.errors == "warning: the target contains no subscriber\n" + Workspace.noMaster)
    }

    @Test func `a delivery's own retry calendar is stored with the delivery, within limits`() async throws {
        let (workspace, submit) = try await Self.submitting(
            "{\(Self.good),\"retry\":{\"count\":3,\"period\":\"90s\"}}")
        #expect(submit.status == 0, "\(submit.errors)")
        let delivery = try #require(try workspace.openStore().deliveries.delivery(DeliveryID(rawValue: 1)))
        #expect(delivery.order.retry == RetryOverride(count: 3, periodSeconds: 90))
        for wrong in [
            #"{"count":101}"#, #"{"count":-1}"#, #"{"period":0}"#, #"{"period":"1w"}"#, #"{"times":3}"#,
        ] {
            let (_, refused) = try await Self.submitting("{\(Self.good),\"retry\":\(wrong)}")
            #expect(refused.status == 3)
            #expect(refused.errors.contains("retry"))
        }
    }

    @Test func `concurrent commands with the same key submit the delivery once, however many they are`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try workspace.write(try Workspace.document(), to: "delivery.json")
        let keyed = ["delivery", "submit", "delivery.json", "--idempotency-key", "k"]
        let alone = try (0..<4).map { _ in try workspace.start(keyed) }
        for command in alone {
            let finished = try await command.finished()
            #expect(finished.status == 0 && finished.output == "1\n", "\(finished.errors)")
        }
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving ")
            let repeated = try await workspace.succeed(keyed + ["--json"])
            #expect(
                repeated.errors.hasPrefix(
                    "delivery 1 was already submitted with this key; nothing was submitted\n"))
            #expect(!repeated.errors.contains("no master"))
            let again = try repeated.json() as? [String: Any]
            #expect(again?["id"] as? Int == 1 && again?["isRepeated"] as? Bool == true)
            let alongside = try (0..<4).map { _ in
                try workspace.start(["delivery", "submit", "delivery.json", "--idempotency-key", "other"])
            }
            for command in alongside { #expect(try await command.finished().output == "2\n") }
        }
        try workspace.write(try Workspace.document(["label": "another"]), to: "delivery.json")
        let conflict = try await workspace.run(keyed)
        #expect(conflict.status == 3 && conflict.output.isEmpty && conflict.errorLines.count == 1)
        #expect(
            conflict.errors.contains("Idempotency-Key: the key was used for another delivery within a day"))
        #expect(try workspace.openStore().deliveries.list(limit: 10).count == 2)
    }

    @Test func `a second submission of the same document without a key causes a warning`() async throws {
        let workspace = try await Workspace.withApp()
        func submit(_ document: String, _ options: String...) async throws -> String {
            try await workspace.succeed(["delivery", "submit", "-"] + options, input: document).errors
        }
        let warning = "warning: delivery 1, submitted a few minutes ago, has the same document: "
        let document = try Workspace.document(["target": ["userKeys": ["anna", "bruno"]]])
        #expect(try await !submit(document).contains("warning: delivery"))
        // White space does not matter.
        #expect(try await submit(" \(document)\n").contains(warning + "if this was a mistake, run 'pushmta "))
        #expect(try await submit(document, "--json").contains("warning: delivery 2, "))
        // Other recipients, another label and a key are intended.
        for other in [
            try Workspace.document(["target": ["userKeys": ["anna"]]]),
            try Workspace.document(["target": ["userKeys": ["anna", "bruno"]], "label": "again"]),
        ] { #expect(try await !submit(other).contains("warning: delivery")) }
        #expect(try await !submit(document, "--idempotency-key", "k").contains("warning: delivery"))
        try workspace.write("anna\n", to: "keys.txt")
        let keyless = try Workspace.document(["target": NSNull(), "label": "list"])
        for _ in 1...2 {
            let errors = try await submit(keyless, "--user-keys", "keys.txt")
            #expect(!errors.contains("warning: delivery"), "\(errors)")
        }
        // A delivery that was stopped is submitted again on purpose.
        let last = try Workspace.document(["label": "stopped"])
        _ = try await submit(last)
        try await workspace.succeed("delivery", "stop", "9", "--yes")
        #expect(try await !submit(last).contains("warning: delivery"))
    }
}
