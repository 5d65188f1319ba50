import PushModel
import Testing

struct ParameterTextTests {
    private static func value(_ parameters: String) -> String? {
        let bytes = Array(parameters.utf8)
        return ParameterText.value(of: "timeZone", in: bytes.span).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `one parameter is found among other parameters`() {
        #expect(Self.value(#"{"timeZone":"Europe/Paris"}"#) == "Europe/Paris")
        #expect(Self.value(#"{"a":{"timeZone":"x"},"b":[1],"timeZone":"Asia\/Tokyo","c":1}"#) == "Asia/Tokyo")
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"timeZone":5}"#, #"{"timezone":"x"}"#, #"{"timeZone"}"#,
        #"{"timeZone":"x"#,
        #"{"a":,"timeZone":"x"}"#,
    ])
    func `a missing parameter, or a text without parameters, yields no value`(parameters: String) {
        #expect(Self.value(parameters) == nil)
    }
}

@Suite struct ParameterTextChangesTests {
    private func changed(_ stored: String?, _ changes: KeyValuePairs<String, String>) -> String? {
        ParameterText.changed(
            stored, by: changes.map { RegistrationParameter(name: $0.key, value: $0.value) })
    }

    @Test func `changes replace, add and remove single parameters`() {
        #expect(changed(nil, ["b": "1", "a": "2"]) == #"{"a":"2","b":"1"}"#)
        #expect(changed(#"{"a":"1","c":"3"}"#, ["b": "2", "c": ""]) == #"{"a":"1","b":"2"}"#)
        #expect(changed(#"{"a":"1"}"#, ["a": ""]) == nil)
        #expect(changed("{}", ["a": ""]) == nil)
        #expect(changed(#"{ "a" : "\u00e9\n" }"#, ["b": "\""]) == #"{"a":"é\n","b":"\""}"#)
        #expect(changed("[1]", ["a": "1"]) == #"{"a":"1"}"#)
        #expect(changed(#"{"a":1}"#, ["b": "1"]) == #"{"b":"1"}"#)
    }

    @Test func `a change that would exceed the limit leaves the stored parameters unchanged`() {
        let stored = ParameterText.json([
            RegistrationParameter(name: "a", value: String(repeating: "x", count: 10_000))
        ])
        #expect(changed(stored, ["b": String(repeating: "y", count: 10_000)]) == stored)
        #expect(changed(stored, ["a": String(repeating: "y", count: 10_000)]) != stored)
    }
}
