import PushAPI
import PushConsole
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

@Suite struct ComposerPartsTests {
    private static let hostile = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>\u{202E}gnp{{"
    private static let steps = ["content", "audience", "timing", "proof", "review?count=1"]

    @Test func `each step shows hostile and long texts harmlessly`() throws {
        let fixture = try ComposerFixture()
        let long = String(repeating: "long name ", count: 1_000)
        for text in [Self.hostile, long, ""] {
            let document: JSONValue = [
                "label": .string(text), "service": .string("neotrips"), "apps": .array([.string(text)]),
                "target": ["where": [(text.isEmpty ? "x" : text): ["in": .array([.string(text)])]]],
                "content": [
                    "title": .string(text), "body": .string(text), "variables": ["v\(text)": .string(text)],
                    "ios": ["sound": .string(text), "category": .string(text)],
                    "languages": ["de": ["title": .string(text)]],
                ],
                "schedule": [
                    "startAt": .string(text), "validity": .string(text), "quietHours": .string(text),
                ],
            ]
            let draft = try fixture.fixture.operations.carryOut(SaveDraft(document, basedOn: nil))
            for step in Self.steps + ["content?language=de", "languages", "remove"] {
                let answer = try fixture.browser.get("/drafts/\(draft.id)/\(step)")
                #expect(answer.status == 200, "\(step)")
                #expect(
                    !answer.text.contains("<script>alert") && !answer.text.contains("<img src=x"), "\(step)")
            }
        }
        let list = try fixture.browser.get("/drafts")
        #expect(list.status == 200 && !list.text.contains("<script>alert"))
    }

    @Test func `documents of every form of target and schedule are shown, and saving keeps them`() throws {
        let fixture = try ComposerFixture()
        let targets = [
            #"{"all": true}"#, #"{"userKeys": ["anna", "ben"], "oncePerUser": true}"#,
            #"{"openersOf": 12, "exclude": {"userKeys": ["x"], "recipientsOf": 3}, "sample": 0.1}"#,
            #"{"where": {"and": [{"age": {">=": 18}}, {"city": {"in": ["Paris", "Rome"]}}]}}"#,
            #"{"where": {"or": [{"vip": {"exists": true}}, {"x": {"between": ["a", "b"]}}]}}"#,
            #"{"and": [{"where": {"city": "Paris"}}, {"not": {"openersOf": 12}}]}"#,
            #"{"where": {"not": {"city": "Paris"}}}"#, #"{"tokens": ["00"]}"#,
        ]
        for target in targets {
            let value = try JSONParser.parse(Array(target.utf8))
            let draft = try fixture.fixture.operations.carryOut(
                SaveDraft(
                    ["label": .string("x"), "service": .string("neotrips"), "target": value], basedOn: nil))
            let page = try fixture.browser.get("/drafts/\(draft.id)/audience").text
            let fields = Self.fields(of: page)
            let answer = try fixture.browser.post("/drafts/\(draft.id)/audience") { request in
                request.form = FormFields(fields)
            }
            #expect(answer.status == 303, "\(target)")
            let saved = try fixture.document(draft.id)["target"]
            #expect(saved?.canonical == value.canonical, "\(target) became \(saved?.text ?? "")")
        }
    }

    /// Returns the fields that a browser would submit with the page's form, in their order.
    private static func fields(of page: String) -> [FormFields.Field] {
        var fields: [FormFields.Field] = []
        let form = page.components(after: "id=\"composer\"")
        let pattern =
            #/
            <input\ [^>]*>|<textarea\ [^>]*name="([^"]*)"[^>]*>\n([^<]*)</textarea>
            |<select\ [^>]*name="([^"]*)"[^>]*>(.*?)</select>
            /#
        for match in form.matches(of: pattern) {
            if let name = match.output.1 {
                fields.append(.init(name: String(name), value: unescaped(match.output.2 ?? "")))
            } else if let name = match.output.3 {
                let options = match.output.4 ?? ""
                let chosen =
                    options.firstMatch(of: /<option value="([^"]*)" selected>/)?.output.1
                    ?? options.firstMatch(of: /<option value="([^"]*)"/)?.output.1
                fields.append(.init(name: String(name), value: unescaped(chosen ?? "")))
            } else {
                let tag = String(match.output.0)
                guard let name = tag.firstMatch(of: #/ name="([^"]*)"/#)?.output.1,
                    !tag.contains("type=\"file\"")
                else { continue }
                let isMark = tag.contains("type=\"radio\"") || tag.contains("type=\"checkbox\"")
                if isMark, !tag.contains(" checked") { continue }
                let value = tag.firstMatch(of: #/ value="([^"]*)"/#)?.output.1 ?? ""
                fields.append(.init(name: String(name), value: unescaped(value)))
            }
        }
        return fields
    }

    private static func unescaped(_ text: some StringProtocol) -> String {
        String(text).replacing("&quot;", with: "\"").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }

    @Test func `the preview follows the form without saving it`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        let answer = try fixture.post(
            id, "content/preview",
            ["label": "x", "content.title": "Hello {{city}}", "content.body": "<b>20%</b>"])
        #expect(answer.status == 200)
        let text = answer.text
        #expect(text.contains("Hello Paris") && text.contains("&lt;b&gt;20%&lt;/b&gt;"), "\(text)")
        #expect(text.contains("bytes") && !text.contains("<html"))
        #expect(try fixture.version(id) == "1")
        let person = try fixture.post(
            id, "content/preview",
            ["label": "x", "content.title": "Hello {{city}}", "content.body": "b", "_person": "user1"])
        #expect(person.text.contains("Hello Paris"), "\(person.text)")
    }

    @Test func `the count of devices follows the form`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        let early = try fixture.post(id, "audience/count", ["target": "all"])
        #expect(early.status == 200 && early.text.contains("as soon as this is fixed"))
        try fixture.post(id, "content", ["label": "x", "content.title": "Hello"])
        let all = try fixture.post(id, "audience/count", ["target": "all"]).text
        #expect(all.contains("<p class=\"count\">3</p>"), "\(all)")
        let listed = try fixture.post(
            id, "audience/count", ["target": "list", "list.keys": "user1\nuser2\nnobody\n"]
        ).text
        #expect(
            listed.contains("<p class=\"count\">2</p>") && listed.contains("1 of 3 user keys"), "\(listed)")
    }

    @Test func `a person whose uploaded list meets another version keeps its user keys`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        try fixture.post(id, "content", ["label": "x", "content.title": "Hello"])
        let fields = ["_version": "1", "_action": "next", "target": "list", "list.keys": "typed"]
        let answer = try fixture.browser.post("/drafts/\(id)/audience", fields) { request in
            var body = ""
            for field in request.form.fields {
                body += "--b\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n"
                body += "\(field.value)\r\n"
            }
            body += "--b\r\nContent-Disposition: form-data; name=\"list.file\"; filename=\"keys.txt\"\r\n\r\n"
            let isRead = request.read(
                body: Array("\(body)uploaded1\nuploaded2\r\n--b--\r\n".utf8),
                type: "multipart/form-data; boundary=b")
            #expect(isRead)
        }
        #expect(answer.status == 409)
        #expect(answer.text.contains("name=\"list.keys\" value=\"typed\nuploaded1\nuploaded2\""))
    }

    @Test func `a link from the proof to another step does not save the draft`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        let answer = try fixture.post(id, "proof", ["_go": "/console/drafts/\(id)/review"])
        #expect(answer.value(of: "location") == "/console/drafts/\(id)/review")
        #expect(try fixture.version(id) == "1")
    }

    @Test func `a proof goes to the named people`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        try fixture.post(id, "content", ["label": "Sale", "content.title": "Hello"])
        let answer = try fixture.post(id, "proof", ["proof.keys": "user1, user2"])
        #expect(answer.status == 303)
        let deliveries = try fixture.fixture.operations.carryOut(ListDeliveries()).items
        #expect(deliveries.map(\.label) == ["proof: Sale"])
        #expect(try fixture.browser.get("/drafts/\(id)/proof/sent").text.contains("delivery #1<"))
        // A longer name is another delivery.
        let other = try fixture.draft("Sale 2")
        #expect(try !fixture.browser.get("/drafts/\(other)/proof/sent").text.contains("delivery #1<"))
    }

    @Test func `a draft begins with a template or as a copy`() throws {
        let fixture = try ComposerFixture()
        let operations = fixture.fixture.operations
        let template = #"{"content": {"title": "From a template"}, "schedule": {"validity": "2h"}}"#
        _ = try operations.carryOut(
            SaveTemplate(
                name: "sale", service: "neotrips", document: Array(template.utf8), documentName: ""))
        _ = try fixture.browser.get("/deliveries/new")
        let fields = ["label": "New", "service": "neotrips", "template": "neotrips/sale"]
        #expect(try fixture.browser.post("/deliveries/new", fields).status == 303)
        let drafts = try operations.carryOut(ListDrafts()).items
        let first = try fixture.document(try #require(drafts.first?.id))
        #expect(first["content"] == ["title": .string("From a template")] && first["label"] == .string("New"))
        let submitted = try operations.carryOut(
            SubmitDelivery(
                document: Array(
                    #"{"label": "Old", "service": "neotrips", "target": {"all": true}, "content": {"body": "Old"}}"#
                        .utf8), documentName: ""))
        #expect(try fixture.browser.get("/deliveries/new?copy=\(submitted.id)").text.contains("copy of"))
        let copied = try fixture.browser.post(
            "/deliveries/new", ["copy": "\(submitted.id)", "label": "Again"])
        #expect(copied.status == 303)
        let newest = try #require(try operations.carryOut(ListDrafts()).items.first)
        #expect(newest.label == "Again")
        #expect(try fixture.document(newest.id)["content"] == ["body": .string("Old")])
    }

    @Test func `a viewer has no composer, and German pages are in German`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        let viewer = try fixture.fixture.browser(of: "vera", .viewer)
        #expect(try viewer.get("/drafts/\(id)/content").status == 403)
        #expect(try viewer.post("/drafts/\(id)/submit", ["_version": "1", "_counted": "1"]).status == 403)
        fixture.browser.language = "de"
        for (step, word) in [
            ("content", "Titel"), ("audience", "Wird gesendet an"), ("timing", "Ruhezeiten"),
        ] {
            #expect(try fixture.browser.get("/drafts/\(id)/\(step)").text.contains(word))
        }
    }

    @Test func `a marketer of one service does not see the drafts of another`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft("Secret sale")
        _ = try fixture.fixture.operations.carryOut(CreateService(name: "other"))
        var create = CreatePerson()
        (create.name, create.fields) = ("otto", RoleFields(role: .marketer, services: ["other"]))
        let link = try fixture.fixture.operations.carryOut(create).link
        let key = try #require(link.split(separator: "=").last).description
        _ = try fixture.fixture.operations.carryOut(
            SetPassword(linkKey: key, password: ConsoleFixture.password))
        let otto = Browser(fixture.fixture)
        #expect(try otto.signIn("otto").status == 303)
        for path in ["content", "audience", "timing", "proof", "review", "languages", "remove"] {
            let answer = try otto.get("/drafts/\(id)/\(path)")
            #expect(answer.status == 404 && !answer.text.contains("Secret sale"), "\(path)")
        }
        for path in ["content", "audience", "timing", "proof", "submit", "content/preview"] {
            let answer = try otto.post("/drafts/\(id)/\(path)", ["_version": "1", "target": "all"])
            #expect(answer.status == 404, "\(path)")
        }
        // A draft that does not exist needs no removal.
        #expect(try otto.post("/drafts/\(id)/remove", ["_version": "1"]).status == 303)
        #expect(try fixture.fixture.operations.carryOut(ShowDraft(id)).label == "Secret sale")
        #expect(try !otto.get("/drafts").text.contains("Secret sale"))
        #expect(try !otto.get("/deliveries/new").text.contains("neotrips"))
        #expect(try otto.post("/deliveries/new", ["service": "neotrips"]).status == 422)
        #expect(try fixture.version(id) == "1")
    }

    @Test func `the input into a draft that another person discarded or sent becomes a new draft`() throws {
        let fixture = try ComposerFixture()
        let steps = [
            ("content", ["label": "Kept", "content.title": "Typed <b>"], "audience"),
            ("audience", ["target": "list", "list.keys": "user1\nuser2"], "timing"),
            ("timing", ["start": "now", "schedule.validity": "3h"], "proof"),
        ]
        for (step, typed, next) in steps {
            let id = try fixture.draft()
            let page = try fixture.browser.get("/drafts/\(id)/\(step)").text
            #expect(page.contains("name=\"_service\" value=\"neotrips\""))
            _ = try fixture.fixture.operations.carryOut(RemoveDraft(id))
            var fields = typed.merging(["_version": "1", "_action": "next"]) { $1 }
            #expect(try fixture.browser.post("/drafts/\(id)/\(step)", fields).status == 404)
            fields["_service"] = "neotrips"
            let kept = try fixture.browser.post("/drafts/\(id)/\(step)", fields)
            #expect(kept.status == 409 && kept.text.contains("Save as a new draft"), "\(step)")
            #expect(kept.text.contains("name=\"_restore\"") && !kept.text.contains("Typed <b>"))
            fields["_restore"] = "on"
            fields["_key"] = String(repeating: "b", count: 32)
            let saved = try fixture.browser.post("/drafts/\(id)/\(step)", fields)
            let new = try #require(try fixture.fixture.operations.carryOut(ListDrafts()).items.first).id
            #expect(new != id && saved.value(of: "location") == "/console/drafts/\(new)/\(next)", "\(step)")
            let again = try fixture.browser.post("/drafts/\(id)/\(step)", fields)
            #expect(again.value(of: "location") == saved.value(of: "location"))
            let document = try fixture.document(new)
            switch step {
            case "content": #expect(document["content"]?["title"] == .string("Typed <b>"))
            case "audience":
                #expect(document["target"]?["userKeys"] == .array([.string("user1"), .string("user2")]))
            default: #expect(document["schedule"]?["validity"] == .string("3h"))
            }
        }
        #expect(try fixture.fixture.operations.carryOut(ListDrafts()).items.count == 3)
    }

    @Test func `names of 10 000 characters and contents of 4 kB are kept and shown in each step`() throws {
        let fixture = try ComposerFixture()
        let hostile = "<img src=x onerror=alert(1)>\"'&\u{202E}"
        let name = hostile + String(repeating: "n", count: 10_000)
        let text = hostile + String(repeating: "ü", count: 2_048)
        let id = try fixture.draft(name)
        let fields = [
            "label": name, "content.title": text, "content.body": text, "content.ios.subtitle": text,
            "content.ios.threadId": text,
            "content.custom": "{\"k\": \"\(String(repeating: "c", count: 4_096))\"}",
        ]
        #expect(try fixture.post(id, "content", fields).status == 303)
        #expect(try fixture.post(id, "languages", ["tag": "de"]).status == 303)
        #expect(
            try fixture.post(
                id, "content",
                ["language": "de", "content.languages.de.title": text, "content.languages.de.body": text]
            ).status == 303)
        let rules = ["target": "where", "rule.join": "all", "list.keys": name, "exclude.keys": name]
        #expect([303, 422].contains(try fixture.post(id, "audience", rules).status))
        let document = try fixture.document(id)
        #expect(document["label"] == .string(name) && document["content"]?["body"] == .string(text))
        #expect(document["content"]?["languages"]?["de"]?["title"] == .string(text))
        for page in [
            "/drafts", "/drafts/\(id)/content", "/drafts/\(id)/content?language=de", "/drafts/\(id)/audience",
            "/drafts/\(id)/audience?count=1", "/drafts/\(id)/timing", "/drafts/\(id)/proof",
            "/drafts/\(id)/review", "/drafts/\(id)/review?count=1", "/drafts/\(id)/remove",
            "/drafts/\(id)/languages",
        ] {
            let answer = try fixture.browser.get(page)
            #expect(answer.status == 200 && !answer.text.contains("<img src=x"), "\(page)")
            #expect(answer.body.count < 1 << 20, "\(page)")
        }
        let proof = try fixture.post(id, "proof", ["proof.keys": name])
        #expect(proof.status == 422 && !proof.text.contains("<img src=x"))
        let sent = try fixture.post(id, "submit", ["_counted": "3"])
        #expect(sent.status == 422 && !sent.text.contains("<img src=x"))
        // The second of two people sees both versions, whatever their size.
        let second = try fixture.post(
            id, "content", ["_version": "1", "label": "other", "content.title": text])
        #expect(second.status == 409 && !second.text.contains("<img src=x"))
        #expect(try fixture.document(id)["label"] == .string(name))
    }

    @Test func `a draft that is discarded twice is gone`() throws {
        let fixture = try ComposerFixture()
        let id = try fixture.draft()
        for _ in 0..<2 {
            #expect(
                try fixture.browser.post("/drafts/\(id)/remove").value(of: "location") == "/console/drafts")
        }
        #expect(try fixture.browser.get("/drafts/\(id)/content").status == 404)
        #expect(try fixture.browser.get("/drafts").text.contains("There is no draft yet"))
    }
}

extension String {
    fileprivate func components(after mark: String) -> Substring {
        ranges(of: mark).first.map { self[$0.upperBound...] } ?? self[...]
    }
}
