import PushTransport
import Testing

@Suite struct RequestTemplateTests {
    @Test func `a field that HTTP/2 does not allow is refused when the template is created`() {
        let bad: [[RequestTemplate.Field]] = [
            [.constant(name: "", value: "x")],
            [.constant(name: "Apns-Topic", value: "x")],
            [.constant(name: "apns topic", value: "x")],
            [.constant(name: "apns-topic", value: "x"), .variable(name: ":path")],
            Array(repeating: .variable(name: "x"), count: 33),
        ]
        for fields in bad { #expect(throws: TransportError.self) { try RequestTemplate(fields) } }
    }
}
