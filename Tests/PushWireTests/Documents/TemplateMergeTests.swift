import PushModel
import PushWire
import Testing

@Suite struct TemplateMergeTests {
    private static func json(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    private static func delivery(_ document: String, over template: String) throws -> JSONValue {
        TemplateMerge.delivery(
            try json(document), over: try json(template), TemplateVersion(name: "sale", version: 3))
    }

    private static let version = #""template": {"name": "sale", "version": 3}"#

    @Test(arguments: [
        // Members that only one of the documents contains.
        (#"{"label": "l"}"#, #"{"content": {"title": "a"}}"#, #"{"label": "l", "content": {"title": "a"}"#),
        (
            #"{"content": {"body": "b"}}"#, #"{"content": {"title": "a"}}"#,
            #"{"content": {"title": "a", "body": "b"}"#
        ),
        // Texts, and members of the four objects of a content, are merged one by one.
        (
            #"{"content": {"title": "own"}}"#, #"{"content": {"title": "a", "body": "b"}}"#,
            #"{"content": {"title": "own", "body": "b"}"#
        ),
        (
            #"{"content": {"variables": {"x": "1", "z": "2"}}}"#,
            #"{"content": {"variables": {"x": "a", "y": "b"}}}"#,
            #"{"content": {"variables": {"x": "1", "y": "b", "z": "2"}}"#
        ),
        (
            #"{"content": {"ios": {"badge": 2}, "android": {"type": "data"}}}"#,
            #"{"content": {"ios": {"badge": 1, "sound": "default"}}}"#,
            #"{"content": {"ios": {"badge": 2, "sound": "default"}, "android": {"type": "data"}}"#
        ),
        // A language is the same in any spelling.
        (
            #"{"content": {"languages": {"FR": {"title": "own"}, "pt-BR": {}}}}"#,
            #"{"content": {"languages": {"fr": {"title": "t", "body": "b"}, "pt_br": {"title": "p"}, "de": {}}}}"#,
            #"{"content": {"languages": {"FR": {"title": "own", "body": "b"}, "pt-BR": {"title": "p"}, "de": {}}}"#
        ),
        // Deeper members are merged as one value.
        (
            #"{"content": {"custom": {"a": {"x": 1}}, "ios": {"sound": {"name": "s"}}}}"#,
            #"{"content": {"custom": {"a": {"x": 0, "y": 0}, "b": []}, "ios": {"sound": {"name": "t", "volume": 5}}}}"#,
            #"{"content": {"custom": {"a": {"x": 1}, "b": []}, "ios": {"sound": {"name": "s"}}}"#
        ),
        // Schedule and retry are merged by key, and tracking is merged as a whole.
        (
            #"{"content": {}, "schedule": {"start": "s", "validity": "1h"}, "tracking": true}"#,
            #"{"content": {}, "schedule": {"validity": "2h", "priority": "low"}, "retry": {"count": 1}, "tracking": false}"#,
            #"{"content": {}, "schedule": {"validity": "1h", "priority": "low", "start": "s"}, "tracking": true, "retry": {"count": 1}"#
        ),
        // A value of the wrong type is kept, so that it can be refused.
        (
            #"{"content": 7, "schedule": [], "retry": null}"#,
            #"{"content": {"title": "a"}, "schedule": {"validity": "2h"}, "retry": {"count": 1}}"#,
            #"{"content": 7, "schedule": [], "retry": null"#
        ),
        (
            #"{"content": {"title": null, "ios": "x"}}"#,
            #"{"content": {"title": "a", "ios": {"badge": 1}}}"#,
            #"{"content": {"title": null, "ios": "x"}"#
        ),
    ])
    func `the document takes precedence over the template, member by member`(
        document: String, template: String, wanted: String
    ) throws {
        let wanted = try Self.json("\(wanted), \(Self.version)}")
        #expect(try Self.delivery(document, over: template) == wanted)
    }

    @Test func `a template's name is replaced by the name with the version that was used`() throws {
        for named in [#""sale""#, #"{"name": "sale"}"#] {
            let filled = try Self.delivery(
                #"{"template": \#(named), "label": "l"}"#, over: #"{"content": {}}"#)
            #expect(try filled == Self.json(#"{\#(Self.version), "label": "l", "content": {}}"#))
        }
        #expect(try Self.delivery("[]", over: #"{"content": {}}"#) == .array([]))
    }

    @Test func `a message takes content, validity and priority from a template, but no delivery settings`()
        throws
    {
        let template = try Self.json(
            #"""
            {"content": {"title": "a", "body": "b"}, "tracking": false, "retry": {"count": 1},
             "schedule": {"validity": "2h", "priority": "low", "ratePerSecond": 5}}
            """#)
        let version = TemplateVersion(name: "sale", version: 3)
        let bare = TemplateMerge.message(try Self.json(#"{"app": "ios"}"#), over: template, version)
        #expect(
            try bare
                == Self.json(
                    #"""
                    {"app": "ios", "content": {"title": "a", "body": "b"}, "validity": "2h", "priority": "low",
                     \#(Self.version)}
                    """#))
        let own = TemplateMerge.message(
            try Self.json(#"{"priority": "high", "validity": 60, "content": {"body": "own"}}"#),
            over: template, version)
        #expect(own["priority"] == .string("high") && own["validity"] == .integer(60))
        #expect(try own["content"] == Self.json(#"{"title": "a", "body": "own"}"#))
    }

    @Test func `each of many members is merged`() throws {
        let many = (0..<20_000).map { JSONMember(key: "v\($0)", value: .integer($0)) }
        func document(_ members: [JSONMember]) -> JSONValue { ["content": ["variables": .object(members)]] }
        let filled = TemplateMerge.delivery(
            document(Array(many.reversed())), over: document(many), TemplateVersion(name: "a", version: 1))
        #expect(filled["content"]?["variables"] == .object(many))
    }

    @Test(
        arguments: [
            (#"{"template": "a"}"#, TemplateReference(name: "a")),
            (#"{"template": {"name": "a"}}"#, TemplateReference(name: "a")),
            (#"{"template": {"version": 7, "name": "a"}}"#, TemplateReference(name: "a", version: 7)),
            ("{}", nil), ("7", nil), (#"{"template": null}"#, nil), (#"{"template": ""}"#, nil),
            (#"{"template": 7}"#, nil), (#"{"template": {}}"#, nil),
            (#"{"template": {"name": "a", "version": 0}}"#, nil),
            (#"{"template": {"name": "a", "version": "1"}}"#, nil),
            (#"{"template": {"name": "a", "newest": true}}"#, nil),
        ] as [(String, TemplateReference?)])
    func `a template is referred to by name, with or without a version`(
        document: String, wanted: TemplateReference?
    ) throws {
        #expect(try TemplateReference(in: Self.json(document)) == wanted)
    }

    @Test
    func `a template that is named in addition to a document must match the document's template, if any`()
        throws
    {
        func naming(_ document: String) throws -> JSONValue? {
            TemplateReference.naming("sale", in: try Self.json(document))
        }
        #expect(try naming(#"{"label": "l"}"#) == Self.json(#"{"label": "l", "template": "sale"}"#))
        for same in [#"{"template": "sale"}"#, #"{"template": {"name": "sale", "version": 2}}"#, "[]"] {
            #expect(try naming(same) == Self.json(same))
        }
        for other in [#"{"template": "other"}"#, #"{"template": 7}"#, #"{"template": null}"#] {
            #expect(try naming(other) == nil)
        }
    }
}
