import Testing
import pushmta

struct FieldListTests {
    @Test func `values are aligned below each other`() {
        let list = FieldList([("id", "7"), ("label", "Spring\tsale"), ("rate", "")])
        #expect(list.lines == ["id     7", #"label  Spring\tsale"#, "rate"])
    }
}
