import PushAPI
import PushConsole
import PushModel
import PushWire
import Testing

@Suite struct TemplateScreenTests {
    private static func fields(_ changes: [String: String] = [:]) -> [String: String] {
        [
            "name": "sale", "service": "shop", "base": "0", "title": "20% off", "body": "Until Sunday",
            "document": #"{"content": {"ios": {"sound": "default"}}, "schedule": {"validity": "12h"}}"#,
        ].merging(changes) { $1 }
    }

    private static func template(_ fixture: DeliveryFixture) throws -> TemplateView {
        try fixture.operations.carryOut(ShowTemplate(name: "sale", service: "shop"))
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "99999999999999999999", "x"])
    func `a number of a version that no template can have is harmless`(base: String) throws {
        let fixture = try DeliveryFixture()
        let fields = Self.fields(["base": base, "document": "{"])
        let answer = try fixture.browser.post("/templates/of/shop/sale/edit", fields)
        #expect(answer.status == 422 && answer.text.contains("This is not JSON"))
    }

    @Test func `a template is created, shown, edited and deleted`() throws {
        let fixture = try DeliveryFixture()
        let browser = fixture.browser
        #expect(try browser.get("/templates?service=shop").text.contains("There is no template yet"))
        #expect(try browser.get("/templates/new").text.contains("Create the template"))
        let created = try browser.post("/templates/new", Self.fields())
        #expect(created.value(of: "location") == "/console/templates/of/shop/sale")
        let template = try Self.template(fixture)
        #expect(template.version == 1 && template.document.value["content"]?["title"] == .string("20% off"))
        #expect(template.document.value["content"]?["ios"]?["sound"] == .string("default"))
        #expect(try browser.get("/templates").text.contains("/console/templates/of/shop/sale/edit"))
        #expect(try browser.get("/templates/of/shop/sale").text.contains("Until Sunday"))
        let form = try browser.get("/templates/of/shop/sale/edit").text
        #expect(form.contains("value=\"20% off\"") && form.contains("name=\"base\" value=\"1\""))
        let saved = try browser.post(
            "/templates/of/shop/sale/edit", Self.fields(["base": "1", "title": "30% off"]))
        #expect(saved.status == 303)
        #expect(try Self.template(fixture).version == 2)
        let old = try browser.get("/templates/of/shop/sale?version=1").text
        #expect(old.contains("This is version 1.") && old.contains("20% off"))
        #expect(try browser.get("/templates/of/shop/sale/delete").text.contains("Delete for good"))
        #expect(try browser.post("/templates/of/shop/sale/delete").status == 303)
        #expect(try browser.get("/templates/of/shop/sale").status == 404)
    }

    @Test func `the second of two people who edit a template sees both versions, and nothing is lost`() throws
    {
        let fixture = try DeliveryFixture()
        let first = fixture.browser
        let second = try fixture.console.browser(of: "jonas", .operator)
        _ = try first.post("/templates/new", Self.fields())
        #expect(
            try first.post(
                "/templates/of/shop/sale/edit", Self.fields(["base": "1", "title": "from Mara"])
            ).status == 303)
        let answer = try second.post(
            "/templates/of/shop/sale/edit", Self.fields(["base": "1", "title": "from Jonas"]))
        #expect(answer.status == 409)
        for text in ["from Mara", "from Jonas", "changed by person mara", "Save mine as version 3"] {
            #expect(answer.text.contains(text), "\(text)")
        }
        #expect(answer.text.contains("name=\"base\" value=\"2\""))
        #expect(try Self.template(fixture).version == 2)
        #expect(
            try second.post(
                "/templates/of/shop/sale/edit", Self.fields(["base": "2", "title": "from Jonas"])
            ).status == 303)
        #expect(try Self.template(fixture).document.value["content"]?["title"] == .string("from Jonas"))
    }

    @Test func `a form with faults keeps what was typed`() throws {
        let fixture = try DeliveryFixture()
        let browser = fixture.browser
        let faulty = [
            ["document": "{typed"], ["document": "[\"typed\"]"], ["document": #"{"typed": 1}"#],
            ["name": "", "title": "typed"],
            ["title": "", "body": "", "document": #"{"content": {"typed": 1}}"#],
        ]
        for changes in faulty {
            let answer = try browser.post("/templates/new", Self.fields(changes))
            #expect(answer.status == 422 && answer.text.contains("typed"), "\(changes)")
        }
        var list = ListTemplates()
        list.service = "shop"
        #expect(try fixture.operations.carryOut(list).isEmpty)
    }

    @Test func `a language is added to the form, and its texts are saved`() throws {
        let fixture = try DeliveryFixture()
        let form = try fixture.browser.post(
            "/templates/new", Self.fields(["add": "on", "addLanguage": "de", "title": "typed"])
        ).text
        #expect(form.contains("Title in German") && form.contains("value=\"typed\""))
        _ = try fixture.browser.post(
            "/templates/new", Self.fields(["language": "de", "title.de": "20 % Rabatt", "body.de": ""]))
        let content = try Self.template(fixture).document.value["content"]
        #expect(content?["languages"]?["de"]?["title"] == .string("20 % Rabatt"))
    }

    @Test func `marketers see templates and cannot change them`() throws {
        let fixture = try DeliveryFixture(.marketer)
        _ = try fixture.operations.carryOut(
            SaveTemplate(
                name: "sale", service: nil, document: Array(#"{"content": {"title": "<b onx>"}}"#.utf8),
                documentName: ""))
        let page = try fixture.browser.get("/templates/shared/sale").text
        #expect(page.contains("&lt;b onx&gt;") && !page.contains("<b onx>"))
        #expect(!page.contains("Edit") && !page.contains("Delete…"))
        #expect(try fixture.browser.post("/templates/shared/sale/edit", Self.fields()).status == 403)
        #expect(try fixture.browser.post("/templates/shared/sale/delete").status == 403)
    }
}
