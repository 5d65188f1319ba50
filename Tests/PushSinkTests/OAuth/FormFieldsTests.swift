import Testing
import pushsink

@Suite struct FormFieldsTests {
    private func value(_ name: String, _ form: String) -> String? {
        form.asBytes { FormFields.value(name, in: $0) }
    }

    @Test func `values of form fields are decoded`() {
        let form = "grant_type=urn%3Aietf%3aparams&a+b=c+d%2B&empty=&a+b=second"
        #expect(value("grant_type", form) == "urn:ietf:params")
        #expect(value("a b", form) == "c d+")
        #expect(value("empty", form) == "")
    }

    @Test(arguments: ["", "a", "a=%", "a=%4", "a=%zz", "=a", "&&", "b=a"])
    func `an absent form field yields nil`(form: String) {
        #expect(value("a", form) == nil)
    }
}
