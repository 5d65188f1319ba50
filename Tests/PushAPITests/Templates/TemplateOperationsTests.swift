import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

@Suite struct TemplateOperationsTests {
    @Test
    func `a template is saved, shown in each version, listed and deleted, and the audit trail records it`()
        throws
    {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        let first = try instance.save(#"{"content": {"title": "One"}}"#)
        #expect(
            first.version == 1 && first.changed && first.name == "sale" && first.service == "neotrips"
                && first.warnings.isEmpty)
        // The formatting of the document makes no difference.
        let same = try instance.save("{ \"content\" :\n{\"title\":\"One\"}}")
        #expect(same.version == 1 && !same.changed)
        #expect(try instance.save(#"{"content": {"title": "Two"}, "tracking": false}"#).version == 2)

        let newest = try operations.carryOut(ShowTemplate(name: "sale", service: "neotrips"))
        #expect(newest.version == 2 && newest.oldestVersion == 1 && newest.newestVersion == 2)
        #expect(newest.document.value["tracking"] == .boolean(false) && newest.createdAt == TestInstance.noon)
        let old = try operations.carryOut(ShowTemplate(name: "sale", service: "neotrips", version: 1))
        #expect(old.version == 1 && old.document.value == ["content": ["title": .string("One")]])
        let listed = try operations.carryOut(ListTemplates())
        #expect(listed.map(\.name) == ["Android", "iOS", "sale"])
        #expect(listed.map(\.service) == [nil, nil, "neotrips"])
        #expect(listed[2].version == 2 && listed[2].versions == 2)
        #expect(try operations.carryOut(ListTemplates(service: "neotrips")) == [listed[2]])

        let deleted = try operations.carryOut(
            DeleteTemplate(name: "sale", service: "neotrips"))
        #expect(deleted.versions == 2)
        #expect(try operations.carryOut(ListTemplates(service: "neotrips")).isEmpty)
        let trail = try operations.carryOut(ReadAudit(limit: 3)).items
        #expect(trail.map(\.action) == ["template.delete", "template.save", "template.save"])
        #expect(trail.map(\.what).first == "neotrips/sale" && trail.allSatisfy { $0.who == "a test" })
    }

    @Test func `a missing template or version is refused, and the error names the existing ones`() throws {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        func absence(_ body: () throws(OperationError) -> Void) -> String? {
            let error = failure(body)
            #expect(error?.kind == .absent)
            return error?.lines.first
        }
        let none = absence { () throws(OperationError) in
            _ = try operations.carryOut(ShowTemplate(name: "sale", service: "neotrips"))
        }
        #expect(none == "service neotrips has no template sale; save one: 'pushmta template save'")
        try instance.save(#"{"content": {"title": "One"}}"#)
        let other = absence { () throws(OperationError) in
            _ = try operations.carryOut(DeleteTemplate(name: "sail", service: "neotrips"))
        }
        #expect(other == "service neotrips has no template sail; it has: sale")
        let version = absence { () throws(OperationError) in
            _ = try operations.carryOut(ShowTemplate(name: "sale", service: "neotrips", version: 7))
        }
        #expect(version == "template sale of service neotrips has no version 7; its only version is 1")
        for service in ["nobody", ""] {
            _ = absence { () throws(OperationError) in
                _ = try operations.carryOut(ListTemplates(service: service))
            }
        }
    }

    @Test(arguments: ["", " sale", "two\nlines", String(repeating: "x", count: 257)])
    func `a template's name must consist of characters that can be typed`(name: String) throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            try instance.save(#"{"content": {"title": "One"}}"#, as: name)
        }
        #expect(error?.kind == .refused)
        #expect(try instance.operations.carryOut(ListTemplates(service: "neotrips")).isEmpty)
    }

    @Test(arguments: [
        (#"{"content": {"titel": "x"}}"#, "sale.json: content.titel: unknown"),
        (#"{"label": "x"}"#, "sale.json: label: unknown"),
        ("{", "sale.json: not JSON"),
        (#"{"content": {"title": "x", "variables": {"none": "1"}}}"#, "sale.json: content.variables: no app"),
        (#"{"content": {"title": "x", "ios": {"type": "silent"}}}"#, "sale.json: content.title: a silent"),
    ])
    func `a template that no delivery could use is refused with its position`(document: String, why: String)
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", variables: [.init(name: "screen", defaultValue: "home")]))
        let error = failure { () throws(OperationError) in try instance.save(document) }
        #expect(
            error?.kind == (document == "{" ? .malformed : .refused)
                && error?.lines.contains { $0.hasPrefix(why) } == true)
        #expect(try instance.operations.carryOut(ListTemplates(service: "neotrips")).isEmpty)
    }

    @Test
    func `a payload that is too long for all apps is refused, and one too long for some causes a warning`()
        throws
    {
        let instance = try TestInstance.withApp()
        let long = String(repeating: "x", count: 5_000)
        let content = #"{"content": {"title": "x", "ios": {"subtitle": "\#(long)"}}}"#
        let error = failure { () throws(OperationError) in try instance.save(content) }
        #expect(error?.lines.first?.hasPrefix("sale.json: content: app ios: payload too long") == true)
        _ = try instance.operations.carryOut(TestInstance.stubApp("droid", platform: .android))
        let saved = try instance.save(content)
        #expect(
            saved.changed && saved.warnings.contains { $0.hasPrefix("content: app ios: payload too long") })
    }

    @Test
    func `values that a template lacks are left to deliveries, and without an app they are not checked`()
        throws
    {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "ios", variables: [.init(name: "screen", defaultValue: nil)]))
        let bare = try instance.save(#"{"content": {"title": "x"}}"#)
        #expect(
            bare.warnings.first?.contains(
                "each delivery must provide what the template lacks: no value for \"screen\"") == true)
        let empty = try instance.save(#"{"content": {"variables": {"screen": "offers"}}}"#, as: "empty")
        #expect(
            empty.warnings.first?.contains(
                "each delivery must provide what the template lacks: an alert needs a title") == true)
        _ = try instance.operations.carryOut(CreateService(name: "new"))
        let unchecked = try instance.operations.carryOut(
            SaveTemplate(
                name: "sale", service: "new", document: Array(#"{"content": {"title": "x"}}"#.utf8),
                documentName: "sale.json"))
        #expect(unchecked.warnings.count == 1 && unchecked.warnings[0].contains("has no app"))
    }

    @Test func `a caller that does not know the newest version is refused, and learns who saved it`() throws {
        let instance = try TestInstance.withApp()
        func save(_ title: String, replacing version: Int64?, as name: String = "sale") -> SaveTemplate {
            SaveTemplate(
                name: name, service: "neotrips",
                document: Array(#"{"content": {"title": "\#(title)"}}"#.utf8), documentName: "",
                replacing: version)
        }
        let operations = instance.operations
        #expect(try operations.carryOut(save("One", replacing: 0)).version == 1)
        #expect(try operations.carryOut(save("Two", replacing: 1)).version == 2)
        for version in [0, 1] as [Int64] {
            let error = failure { () throws(OperationError) in
                _ = try operations.carryOut(save("Three", replacing: version))
            }
            #expect(error?.kind == .conflict)
            #expect(error?.description.contains("was changed by a test") == true)
            #expect(error?.description.contains("its newest version is 2") == true)
        }
        // The same content needs no new version.
        #expect(try !operations.carryOut(save("Two", replacing: 1)).changed)
        let gone = failure { () throws(OperationError) in
            _ = try operations.carryOut(save("One", replacing: 3, as: "gone"))
        }
        #expect(gone?.kind == .conflict && gone?.description.contains("was deleted") == true)
        #expect(try operations.carryOut(save("Three", replacing: nil)).version == 3)
    }

    @Test func `a template is returned in the form in which it was written`() throws {
        let document = #"""
            {"content":{"body":"b","custom":{"a":[1,2.5,null,true,{"b":"\"x\""}],"z":{}},"title":"Zoë"},
             "retry":{"count":3},"schedule":{"validity":"1h"}}
            """#
        let instance = try TestInstance.withApp()
        try instance.save(document)
        let shown = try instance.operations.carryOut(ShowTemplate(name: "sale", service: "neotrips"))
        #expect(try shown.document.value == JSONParser.parse(Array(document.utf8)))
        #expect(try JSONValue(encoding: shown)["document"] == shown.document.value)
    }
}

extension TestInstance {
    @discardableResult
    func save(_ document: String, as name: String = "sale") throws(OperationError) -> SavedTemplate {
        try operations.carryOut(
            SaveTemplate(
                name: name, service: "neotrips", document: Array(document.utf8), documentName: "sale.json"))
    }
}
