import PushAPI
import PushModel
import PushStore
import Testing

/// Tests what the operator is shown about the languages in a content, before and at submission.
struct LanguageSubmissionTests {
    private static let languages: [String: any Sendable] = [
        "title": "Sale",
        "languages": ["fr": ["title": "Soldes {{price:number(2)}}"], "de": ["title": "Schluss"]],
    ]

    private static func instance() throws -> TestInstance {
        let instance = try TestInstance.withApp()
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let records = [("fr_CA", #"{"price":"1234.5"}"#), ("fr", #"{"price":"dear"}"#), ("en", "{}")]
            .enumerated()
        _ = try instance.store.registrations.register(
            records.map { index, said in
                var facts = DeviceFacts()
                facts.language = said.0
                return RegistrationRecord(
                    app: app.id, token: TestInstance.token(index), userKey: "user\(index)",
                    parametersJSON: said.1,
                    replacesParameters: true, device: facts, at: TestInstance.noon)
            })
        return instance
    }

    @Test func `a dry run shows each language, and counts recipients whose value is not a number`() throws {
        let instance = try Self.instance()
        let found = try instance.operations.carryOut(
            DryRunDelivery(
                document: try TestInstance.submission(["content": Self.languages]).document,
                documentName: "sale.json"))
        let app = try #require(found.apps.first)
        #expect(app.languages.map(\.language) == [nil, "de", "fr"])
        #expect(app.languages.map(\.targeted) == [1, 0, 2])
        #expect(app.languages[0].sample?.payload.contains(#""title":"Sale""#) == true)
        #expect(app.languages[1].sample == nil)
        let french = try #require(app.languages[2].sample)
        #expect(french.payload.contains("Soldes 1\u{A0}234,50") && french.bytes == french.payload.utf8.count)
        #expect(app.missingValues.map(\.name) == ["price:number(2)"] && app.missingValues.map(\.count) == [1])
    }

    @Test func `a preview is in the language of the device`() throws {
        let instance = try Self.instance()
        let document = try TestInstance.submission(["content": Self.languages]).document
        func preview(_ user: String) throws -> DeliveryPreviewView.Device {
            let answer = try instance.operations.carryOut(
                PreviewDelivery(document: document, documentName: "sale.json", who: .userKey(user)))
            return try #require(answer.devices.first)
        }
        let canadian = try preview("user0")
        #expect(canadian.language == "fr" && canadian.message?.payload.contains("1\u{A0}234,50") == true)
        #expect(try preview("user1").fault == "no value for {{price:number(2)}}")
        let english = try preview("user2")
        #expect(english.language == nil && english.message?.payload.contains(#""title":"Sale""#) == true)
    }

    @Test func `content that is too long in one language is refused, and the error names the language`()
        throws
    {
        let instance = try Self.instance()
        let long = String(repeating: "x", count: 5_000)
        let content: [String: any Sendable] = ["title": "a", "languages": ["fr": ["body": long]]]
        do {
            _ = try instance.operations.carryOut(try TestInstance.submission(["content": content]))
            Issue.record("was taken")
        } catch {
            #expect("\(error)".hasPrefix("sale.json: app ios: in fr: payload too long: "))
        }
    }
}
