import PushModel
import Testing

@Suite struct MessageFillingTests {
    @Test func `the language precedes the parameters, and line feeds separate them`() {
        let filling = MessageFilling.bytes(language: "fr-FR", parameters: Array("{}".utf8))
        #expect(String(decoding: filling, as: UTF8.self) == "\nfr-FR\n{}")
        #expect(
            String(decoding: MessageFilling.bytes(language: "a\nb", parameters: []), as: UTF8.self)
                == "\na b\n")
    }

    @Test(arguments: [
        (#"{"title":"{{a:number}}"}"#, true), (#"{"title":"{{a:date(long)|x}}"}"#, true),
        (#"{"languages":{"fr":{"title":"x"}}}"#, true), (#"{"title":"{{a}}"}"#, false),
        (#"{"title":":number"}"#, false), (#"{"title":"languages"}"#, false), ("", false),
    ])
    func `the language is requested only if a text depends on it`(content: String, needed: Bool) {
        #expect(MessageFilling.needsLanguage(content.utf8) == needed)
    }
}
