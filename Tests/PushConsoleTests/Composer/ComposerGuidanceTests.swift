import PushAPI
import PushConsole
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

/// What a marketer without documentation meets in the composer.
@Suite struct ComposerGuidanceTests {
    private static let parameters =
        #"[{"name": "firstName", "kind": "text"}, {"name": "city", "kind": "text"}]"#

    /// Returns a draft of service `shop`, whose app declares parameters.
    private func draft(
        _ fixture: AudienceFixture, _ content: JSONValue, target: JSONValue = ["all": .boolean(true)]
    ) throws -> Int64 {
        let document: JSONValue = [
            "label": .string("Autumn sale"), "service": .string("shop"), "target": target, "content": content,
        ]
        let draft = try fixture.operations.carryOut(SaveDraft(document, basedOn: nil))
        return draft.id
    }

    private func post(
        _ fixture: AudienceFixture, _ id: Int64, _ step: String, _ fields: [String: String],
        action: String = "next"
    ) throws -> ConsoleAnswer {
        let version = try fixture.operations.carryOut(ShowDraft(id)).version
        return try fixture.browser.post(
            "/drafts/\(id)/\(step)", fields.merging(["_version": "\(version)", "_action": action]) { $1 })
    }

    @Test func `each text has buttons that insert a value, and the page states what a missing value means`()
        throws
    {
        let fixture = try AudienceFixture(parameters: Self.parameters)
        let id = try draft(fixture, ["title": .string("Hello")])
        let page = try fixture.browser.get("/drafts/\(id)/content").text
        for field in ["content.title", "content.body", "content.ios.subtitle"] {
            #expect(
                page.contains(
                    "data-insert=\"{{firstName}}\" data-into=\"field-\(field)\">first name</button>"),
                "\(field)")
        }
        // Without the script, the same values can be copied.
        #expect(page.contains("<code>{{city}}</code>") && page.contains("gets no message"))
        #expect(page.contains("<code>{{firstName|substitute}}</code>"))
        fixture.browser.language = "de"
        let german = try fixture.browser.get("/drafts/\(id)/content").text
        #expect(german.contains("Einfügen:") && german.contains("erhält keine Nachricht"))
        #expect(german.contains(">Nutzerschlüssel</button>") && german.contains("{{firstName|Ersatz}}"))
    }

    @Test func `a value in single braces is a probable mistake at its field and in the review`() throws {
        let fixture = try AudienceFixture(parameters: Self.parameters)
        let id = try draft(
            fixture,
            ["title": .string("Hello {city}"), "languages": ["de": ["body": .string("Hallo {firstName}")]]])
        let page = try fixture.browser.get("/drafts/\(id)/content").text
        #expect(page.contains("id=\"field-content.title-warning\""))
        #expect(page.contains("Probable mistake: write") && page.contains("{{city}}"))
        let german = try fixture.browser.get("/drafts/\(id)/content?language=de").text
        #expect(german.contains("id=\"field-content.languages.de.body-warning\""))
        #expect(!german.contains("id=\"field-content.languages.de.title-warning\""))
        let review = try fixture.browser.get("/drafts/\(id)/review").text
        #expect(review.contains("Probable mistakes") && review.contains("German, text"))
        #expect(review.contains("/content?language=de#field-content.languages.de.body\""))
        #expect(!review.contains("sent literally"))
    }

    @Test func `the preview shows a person of the audience, and keeps the one that the reader names`() throws
    {
        let fixture = try AudienceFixture(parameters: Self.parameters)
        let id = try draft(
            fixture, ["title": .string("Hello {{firstName}}"), "body": .string("In {{city|town}}")])
        // Without subscribers, the values are samples, never the names of parameters.
        let sample = try fixture.browser.get("/drafts/\(id)/content").text
        #expect(sample.contains("Hello Anna") && sample.contains("sample values"))
        try fixture.add("eva", 1, parameters: #"{"firstName":"Eva","city":"Rome"}"#)
        try fixture.add("tom", 2, parameters: #"{"city":"Oslo"}"#)
        let page = try fixture.browser.get("/drafts/\(id)/content").text
        #expect(page.contains("Hello Eva") && page.contains("In Rome"))
        let fields = [
            "label": "Autumn sale", "content.title": "Hello {{firstName}}",
            "content.body": "In {{city|town}}!", "_person": "tom",
        ]
        let saved = try post(fixture, id, "content", fields, action: "stay")
        let location = try #require(saved.value(of: "location"))
        #expect(location == "/console/drafts/\(id)/content?person=tom")
        let toms = try fixture.browser.get("/drafts/\(id)/content?person=tom").text
        #expect(toms.contains("name=\"_person\" type=\"text\" value=\"tom\"") && toms.contains("In Oslo!"))
        #expect(toms.contains("has no value for"))
        let nobody = try fixture.browser.get("/drafts/\(id)/content?person=nobody99").text
        #expect(nobody.contains("is not a user key of this service"))
        // The audience's first person is another one.
        let toTom = try draft(
            fixture, ["title": .string("In {{city}}")], target: ["where": ["city": .string("Oslo")]])
        #expect(try fixture.browser.get("/drafts/\(toTom)/content").text.contains("In Oslo"))
    }

    @Test func `errors are in the words of the page`() throws {
        let fixture = try AudienceFixture(parameters: Self.parameters)
        let empty = try fixture.operations.carryOut(
            SaveDraft(["label": .string(""), "service": .string("shop")], basedOn: nil)
        ).id
        let untouched = try fixture.browser.get("/drafts/\(empty)/content").text
        #expect(untouched.contains("Write a title or a text.") && !untouched.contains("content: missing"))
        #expect(!untouched.contains("aria-invalid"))
        // The step saves, and does not lead to the next one.
        let next = try post(fixture, empty, "content", ["label": ""])
        #expect(next.value(of: "location") == "/console/drafts/\(empty)/content?check=1")
        let checked = try fixture.browser.get("/drafts/\(empty)/content?check=1").text
        #expect(checked.contains("Enter a name.") && checked.contains("id=\"field-content.title-error\""))
        let review = try fixture.browser.get("/drafts/\(empty)/review").text
        #expect(review.contains("To fix before sending") && review.contains("Enter a name."))
        #expect(review.contains("/drafts/\(empty)/content#field-content.title\""))
        #expect(!review.contains("label: missing"))

        // A main text that is missing although languages have one is not refused, but named.
        let german = try draft(fixture, ["languages": ["de": ["title": .string("Hallo")]]])
        let main = try fixture.browser.get("/drafts/\(german)/content").text
        #expect(main.contains("id=\"field-content.title-warning\"") && main.contains("an empty message"))
        #expect(try fixture.browser.get("/drafts/\(german)/review").text.contains("an empty message"))

        let misspelt = try draft(
            fixture,
            ["title": .string("Hi"), "languages": ["fr": ["body": .string("Bonjour {{frstName}}")]]])
        let names = try fixture.browser.get("/drafts/\(misspelt)/review").text
        #expect(names.contains("French, text") && names.contains("is not a value of the subscribers"))
        #expect(!names.contains("declares a parameter"))

        let long = try draft(
            fixture, ["title": .string("Hi"), "body": .string(String(repeating: "x", count: 5_000))])
        let size = try fixture.browser.get("/drafts/\(long)/review").text
        #expect(size.contains("characters too long"), "\(size)")
    }

    @Test func `a name is given to a draft without one, and a copy begins with its name`() throws {
        let fixture = try DeliveryFixture(.marketer)
        let answer = try fixture.browser.post("/deliveries/new", ["label": " ", "service": "shop"])
        #expect(answer.status == 303)
        let first = try #require(try fixture.operations.carryOut(ListDrafts()).items.first)
        #expect(first.label.hasPrefix("Delivery of ") && first.label.contains("2026"))
        let sent = try fixture.submit("Old sale")
        let page = try fixture.browser.get("/deliveries/new?copy=\(sent.rawValue)").text
        #expect(page.contains("value=\"copy of 1: Old sale\""), "\(page)")
    }

    @Test func `a text that is not a tag of a language is refused at once`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        let refused = try fixture.post(id, "languages", ["tag": "Klingonisch"])
        #expect(refused.status == 422)
        #expect(refused.text.contains("is not the tag of a language: write a tag such as fr or pt-BR."))
        #expect(
            try fixture.post(id, "languages", ["tag": "Germn"]).text.contains("Did you mean German (de)?"))
        #expect(try fixture.post(id, "languages", ["tag": ""]).status == 422)
        let added = try fixture.post(id, "languages", ["tag": "pt_br"])
        #expect(added.value(of: "location")?.hasSuffix("language=pt-BR") == true)
    }

    @Test func `times are refused at their step, and steps with errors are marked`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        try fixture.post(id, "content", ["label": "Sale", "content.title": "Hello"])
        let word = try fixture.post(id, "timing", ["start": "now", "schedule.validity": "tomorrow"])
        #expect(word.status == 422 && word.text.contains("id=\"field-schedule.validity-error\""))
        #expect(word.text.contains("Write a duration such as 30m, 12h or 5d."))
        #expect(word.text.contains("value=\"tomorrow\""))
        let past = ["start": "at", "schedule.startAt": "2026-11-20T09:00", "_zone": "UTC"]
        let late = try fixture.post(id, "timing", past)
        #expect(late.status == 422 && late.text.contains("is in the past"))
        #expect(late.text.contains("id=\"field-schedule.startAt-error\""))
        // A link to another step loses no input, and the steps show where the error is.
        let followed = try fixture.post(
            id, "timing", past.merging(["_go": "/console/drafts/\(id)/review"]) { $1 })
        #expect(followed.value(of: "location") == "/console/drafts/\(id)/review")
        let review = try fixture.browser.get("/drafts/\(id)/review?count=1").text
        #expect(review.contains("<small class=\"todo\">To fix</small>"))
        #expect(review.contains("/timing#field-schedule.startAt\"") && !review.contains("Schedule for"))
        #expect(!review.contains("action=\"/console/drafts/\(id)/submit\""))
        let sent = ["_version": try fixture.version(id), "_counted": "3"]
        #expect(try fixture.browser.post("/drafts/\(id)/submit", sent).status == 422)
        #expect(try fixture.fixture.operations.carryOut(ListDeliveries()).items.isEmpty)
    }

    @Test func `the review shows each language, what differs, and when the delivery begins`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        try fixture.post(id, "content", ["label": "Sale", "content.title": "Hello {{city}}"])
        try fixture.post(id, "languages", ["tag": "de"])
        try fixture.post(
            id, "content", ["language": "de", "content.languages.de.title": "Hallo {{city}}"])
        try fixture.post(
            id, "timing", ["start": "at", "schedule.startAt": "2026-12-24T09:00", "_zone": "UTC"])
        let review = try fixture.browser.get("/drafts/\(id)/review?count=1").text
        #expect(review.contains("Hello Paris") && review.contains("Hallo Paris"))
        #expect(review.contains("Differs from the main text: Title."))
        #expect(review.contains("No proof was sent."))
        #expect(review.contains("Send to 3 devices, beginning: 24 Dec 2026, 09:00"), "\(review)")
        #expect(review.contains("number can change"))
    }

    @Test func `a proof names unknown people before it is sent, and shows what each person got`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        try fixture.post(
            id, "content", ["label": "Sale", "content.title": "Hello {{city}}", "content.body": "Today"])
        try fixture.post(id, "languages", ["tag": "en"])
        try fixture.post(id, "content", ["language": "en", "content.languages.en.title": "Hi"])
        let operations = fixture.fixture.operations
        let refused = try fixture.post(id, "proof", ["proof.keys": "user1\nnobody99"])
        #expect(refused.status == 422 && refused.text.contains("id=\"field-proof.keys-error\""))
        #expect(
            refused.text.contains("nobody99") && refused.text.contains("is not a user key of this service"))
        #expect(try operations.carryOut(ListDeliveries()).items.isEmpty)
        let before = try fixture.browser.get("/drafts/\(id)/proof").text
        #expect(before.contains("button-primary\">Send the proof"))

        #expect(try fixture.post(id, "proof", ["proof.keys": "user1"]).status == 303)
        let proof = try #require(try operations.carryOut(ListDeliveries()).items.first).id
        let page = try fixture.browser.get("/drafts/\(id)/proof").text
        #expect(page.contains("The proof is being sent."))
        #expect(page.contains("button-primary\" href=\"/console/drafts/\(id)/review\">Continue to review"))
        try Self.send(proof, operations.store)
        let ended = try fixture.browser.get("/drafts/\(id)/proof/sent").text
        #expect(!ended.contains("The proof is being sent."), "\(ended)")
        #expect(ended.contains("user1") && ended.contains("Hello Paris") && ended.contains("Today"))
        #expect(ended.contains("No recipient of the proof has: English."), "\(ended)")
        let result = try fixture.browser.get("/drafts/\(id)/proof/\(proof.rawValue)").text
        #expect(result.contains("Back to the draft") && result.contains("Hello Paris"))
        #expect(try fixture.browser.get("/drafts/\(id)/proof/99").status == 404)
        let review = try fixture.browser.get("/drafts/\(id)/review").text
        #expect(review.contains("Proof sent to 1 person") && review.contains("delivery #\(proof.rawValue)"))
    }

    /// Prepares a delivery, and records that its gateway has accepted each message.
    private static func send(_ id: DeliveryID, _ store: Store) throws {
        while true {
            let step = try store.preparation.prepareChunk(of: id, at: ConsoleFixture.start)
            if let part = step.part {
                var batch = OutcomeBatch(delivery: id)
                for number in part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue {
                    batch.accepted.append(MessageID(rawValue: number))
                }
                _ = try store.outcomes.record([batch], at: ConsoleFixture.start)
            }
            if step.isComplete { return }
        }
    }

    @Test func `a draft that was sent leads to its delivery, and errors name no commands`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        try fixture.post(id, "content", ["label": "Autumn sale", "content.title": "Hello"])
        let fields = ["_version": try fixture.version(id), "_counted": "3"]
        let sent = try fixture.browser.post("/drafts/\(id)/submit", fields)
        let path = try #require(sent.value(of: "location"))
        for step in ["content", "review"] {
            let page = try fixture.browser.get("/drafts/\(id)/\(step)")
            #expect(page.status == 404 && page.text.contains("This draft was sent as delivery"))
            #expect(page.text.contains("<a href=\"\(path)\"><bdi>Autumn sale</bdi></a>"))
        }
        let late = try fixture.post(id, "languages", ["tag": "de", "_version": "2"])
        #expect(late.status == 404 && !late.text.contains("pushmta") && !late.text.contains("/api/"))
        let kept = try fixture.post(
            id, "content", ["_version": "2", "_service": "neotrips", "label": "x", "content.title": "y"])
        #expect(kept.status == 409 && kept.text.contains("This draft was sent as delivery"))
        #expect(try fixture.browser.get("/drafts/999/content").text.contains("discarded"))
    }

    @Test func `a link to a draft opens the step that the person last worked on`() throws {
        let fixture = try ComposerFixture()
        let (first, second) = (try fixture.draft("One"), try fixture.draft("Two"))
        _ = try fixture.browser.get("/drafts/\(first)/timing")
        _ = try fixture.browser.get("/drafts/\(second)/audience")
        #expect(
            try fixture.browser.get("/drafts/\(first)").value(of: "location")
                == "/console/drafts/\(first)/timing")
        #expect(
            try fixture.browser.get("/drafts/\(second)").value(of: "location")
                == "/console/drafts/\(second)/audience")
        let list = try fixture.browser.get("/drafts").text
        #expect(list.contains("href=\"/console/drafts/\(first)\""))
        fixture.browser.cookies["pushmta-steps"] = "x.y_\(first).nowhere"
        #expect(
            try fixture.browser.get("/drafts/\(first)").value(of: "location")
                == "/console/drafts/\(first)/content")
    }

    @Test func `each way to choose recipients appears once, and its fields follow the choice`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        let page = try fixture.browser.get("/drafts/\(id)/audience").text
        #expect(!page.contains("<details class=\"options\" id=\"target-"))
        #expect(page.contains("class=\"stack kind kind-where\""))
        #expect(page.contains("name=\"target\" value=\"all\" checked"))
        try fixture.post(
            id, "audience",
            ["target": "where", "rule.field": "city", "rule.comparison": "=", "rule.value": "Paris"])
        let saved = try fixture.browser.get("/drafts/\(id)/audience").text
        #expect(saved.contains("class=\"stack kind kind-where chosen\""))
    }

    @Test func `waves have labels, and forms of the composer ask before their input is lost`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        let timing = try fixture.browser.get("/drafts/\(id)/timing").text
        #expect(timing.contains("<span>Time after the wave before</span>"))
        #expect(timing.contains("<span>Share in percent</span>"))
        // The style sheet hides this part while the delivery is to begin now.
        #expect(timing.contains("class=\"when-timed\""))
        for step in ["content", "audience", "timing"] {
            #expect(
                try fixture.browser.get("/drafts/\(id)/\(step)").text.contains(" data-unsaved"), "\(step)")
        }
    }
}
