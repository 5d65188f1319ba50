import PushModel
import Testing

@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("fr", "fr"), ("FR", "fr"), ("pt_br", "pt-BR"), ("zh-hans-cn", "zh-Hans-CN"), ("es-419", "es-419"),
        ("sl-rozaj-biske", "sl-rozaj-biske"), ("de-1996", "de-1996"), ("fil", "fil"),
    ])
    func `a language tag has one spelling, however it was written`(text: String, spelled: String) {
        #expect(LanguageTag(text)?.text == spelled)
    }

    @Test(arguments: [
        "", "f", "-", "fr-", "-fr", "fr--FR", "f1", "123", "fr FR", "franzoesisch", "fr-abcdefghi", "é",
        "fr-é",
        "a-bc", "ab-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd",
    ])
    func `an invalid text is not a language tag`(text: String) {
        #expect(LanguageTag(text) == nil)
    }
}
