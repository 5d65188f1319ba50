import PushModel
import Testing

struct ParameterTextTests {
    private static func value(_ parameters: String) -> String? {
        let bytes = Array(parameters.utf8)
        return ParameterText.value(of: "timeZone", in: bytes.span).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `one parameter is found among others`() {
        #expect(Self.value(#"{"timeZone":"Europe/Paris"}"#) == "Europe/Paris")
        #expect(Self.value(#"{"a":{"timeZone":"x"},"b":[1],"timeZone":"Asia\/Tokyo","c":1}"#) == "Asia/Tokyo")
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"timeZone":5}"#, #"{"timezone":"x"}"#, #"{"timeZone"}"#,
        #"{"timeZone":"x"#,
        #"{"a":,"timeZone":"x"}"#,
    ])
    func `where there is none, or these are no parameters, there is none`(parameters: String) {
        #expect(Self.value(parameters) == nil)
    }
}
