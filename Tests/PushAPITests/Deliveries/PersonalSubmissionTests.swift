import PushAPI
import PushModel
import PushStore
import Testing

/// Tests which placeholders in a content are refused or reported at submission, depending on the subscribers'
/// data.
struct PersonalSubmissionTests {
    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        var declaring = TestInstance.stubApp("declaring")
        declaring.parameters = [.init(name: "firstName", kind: .text), .init(name: "age", kind: .number)]
        _ = try instance.operations.carryOut(declaring)
        for app in ["ios", "declaring"] { try instance.subscribe(1, to: app) }
        return instance
    }

    private static func submit(
        _ body: String, to apps: [String], in instance: TestInstance
    ) throws -> SubmittedDelivery {
        try instance.operations.carryOut(
            try TestInstance.submission(["content": ["body": body], "apps": apps]))
    }

    private static func refusal(_ body: String, to apps: [String], in instance: TestInstance) -> String? {
        do {
            _ = try submit(body, to: apps, in: instance)
            return nil
        } catch { return "\(error)" }
    }

    @Test func `a placeholder name that no app declares is refused if every app has declarations`() throws {
        let instance = try Self.instance()
        let refusal = try #require(Self.refusal("Hi {{fistName}}", to: ["declaring"], in: instance))
        #expect(
            refusal.hasPrefix(#"sale.json: content: no app of the delivery declares a parameter "fistName""#))
        #expect(try Self.submit("Hi {{firstName}}", to: ["declaring"], in: instance).warnings.isEmpty)
    }

    @Test
    func `a name whose letters are composed differently is a different name, as it is in rendering`() throws {
        let instance = try Self.instance()
        let (composed, decomposed) = ("pr\u{e9}nom", "pre\u{301}nom")
        var declaring = TestInstance.stubApp("accents")
        declaring.parameters = [.init(name: composed, kind: .text)]
        _ = try instance.operations.carryOut(declaring)
        try instance.subscribe(1, to: "accents")
        #expect(Self.refusal("Hi {{\(decomposed)}}", to: ["accents"], in: instance) != nil)
        #expect(Self.refusal("Hi {{\(composed)}}", to: ["accents"], in: instance) == nil)
    }

    @Test
    func `a name that some apps declare causes a warning for each app that cannot provide its value`() throws
    {
        let instance = try Self.instance()
        let warnings = try Self.submit("Hi {{city}}", to: ["ios", "declaring"], in: instance).warnings
        #expect(
            warnings == [
                #"app ios: no subscriber that was checked has a parameter "city": subscribers that lack it receive the default, or no message"#,
                #"app declaring: the app does not declare a parameter "city": subscribers that lack it receive the default, or no message"#,
            ])
    }

    @Test func `an unreadable placeholder is refused with its path, and nothing is submitted`() throws {
        let instance = try Self.instance()
        #expect(
            Self.refusal("Hi {{city", to: ["ios"], in: instance)
                == "sale.json: content.body: {{ at character 4: is not closed by }}")
        #expect(try instance.operations.store.deliveries.list(limit: 10).isEmpty)
    }

    private static let hint = "the syntax of a placeholder is"

    @Test func `placeholders of other systems cause a warning in every operation that checks a content`()
        throws
    {
        let instance = try Self.instance()
        let content: [String: any Sendable] = [
            "title": "Hi <%= recipient.firstName %>", "body": "Hi %name%",
            "custom": ["offer": ["text": "{offer}"]],
            "languages": ["fr": ["title": "Salut {prénom}"]],
        ]
        let fixed = "this text is the same for all messages of a delivery"
        let lines = [
            #"content.title: sent literally: "<%= recipient.firstName %>"; \#(Self.hint) {{firstName}}"#,
            #"content.body: sent literally: "%name%"; \#(Self.hint) {{name}}"#,
            #"content.custom.offer: sent literally: "{offer}"; \#(fixed)"#,
            #"content.languages.fr.title: sent literally: "{prénom}"; \#(Self.hint) {{prénom}}"#,
        ]
        let submission = try TestInstance.submission(["content": content, "apps": ["ios", "declaring"]])
        let (document, name) = (submission.document, "sale.json")
        let dryRun = DryRunDelivery(document: document, documentName: name)
        #expect(try instance.operations.carryOut(dryRun).warnings == lines)
        let preview = PreviewDelivery(document: document, documentName: name, who: .userKey("user1"))
        #expect(try instance.operations.carryOut(preview).warnings == lines)
        #expect(try instance.operations.carryOut(submission).warnings == lines)
    }

    @Test func `a message and a template with a placeholder of another system cause the same warning`()
        throws
    {
        let instance = try Self.instance()
        let line = #"content.title: sent literally: "${city}"; \#(Self.hint) {{city}}"#
        let message = #"{"service": "neotrips", "userKey": "user1", "content": {"title": "Hi ${city}"}}"#
        // The second message finds its content in the cache.
        for _ in 1...2 {
            let sent = try instance.operations.carryOut(
                SendMessages(document: Array(message.utf8), caller: "a"))
            #expect(sent.messages.map(\.warnings) == [[line]])
        }
        let template = Array(#"{"content": {"title": "Hi ${city}"}}"#.utf8)
        let saved = try instance.operations.carryOut(
            SaveTemplate(name: "sale", service: "neotrips", document: template, documentName: "sale.json"))
        #expect(saved.warnings == [line])
    }
}
