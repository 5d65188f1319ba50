import PushModel
import PushPayload
import Testing

@Suite struct PlainPayloadTests {
    private func rendered(
        _ content: Content, variables: [AppVariable] = [], tracking: Bool = true,
        idFormat: MessageIDFormat = .uuid, parameters: String = ""
    ) throws -> String {
        let template = try PayloadTemplate.plain(
            content: content, variables: variables, delivery: DeliveryID(rawValue: 7), tracking: tracking,
            idFormat: idFormat)
        let rendered = template.rendered(
            identity: OpaqueID(high: 1, low: 2), integerID: 12, parameters: Array(parameters.utf8))
        return String(decoding: try #require(rendered.bytes), as: UTF8.self)
    }

    @Test func `texts appear next to data with ids, variables and custom members`() throws {
        let content = Content(
            title: "Hello", body: "World", variables: ["city": "Rome"],
            custom: [CustomMember(name: "links", value: .json(#"["a",null]"#))])
        #expect(
            try rendered(content)
                == #"{"title":"Hello","body":"World","data":{"_mId":"00000000-0000-0001-0000-000000000002","_dId":"7","city":"Rome","links":["a",null]}}"#
        )
        #expect(
            try rendered(content, tracking: false)
                == #"{"title":"Hello","body":"World","data":{"city":"Rome","links":["a",null]}}"#)
    }

    @Test func `ids may be integers, and names that other platforms reserve are allowed`() throws {
        #expect(
            try rendered(Content(body: "x", variables: ["aps": "1", "from": "2"]), idFormat: .integer)
                == #"{"body":"x","data":{"_mId":"12","_dId":"7","aps":"1","from":"2"}}"#)
    }

    @Test func `placeholders are filled and escaped`() throws {
        #expect(
            try rendered(
                Content(title: #"Ciao {{name}}"#), tracking: false, parameters: #"{"name":"A\"B"}"#)
                == #"{"title":"Ciao A\"B","data":{}}"#)
    }

    @Test func `a payload must have a text, no reserved names, and a size within the limit`() {
        #expect(throws: PayloadError.self) { try rendered(Content()) }
        #expect(throws: PayloadError.variablesReserved(["_mId"], .other)) {
            try rendered(Content(body: "x", variables: ["_mId": "1"]))
        }
        #expect(throws: PayloadError.self) {
            try rendered(Content(body: String(repeating: "x", count: 4_100)))
        }
    }
}
