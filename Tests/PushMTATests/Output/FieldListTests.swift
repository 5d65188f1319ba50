import Testing
import pushmta

struct FieldListTests {
    @Test func `values are aligned in one column`() {
        let list = FieldList([("id", "7"), ("label", "Spring\tsale"), ("rate", "")])
        #expect(list.lines == ["id     7", #"label  Spring\tsale"#, "rate"])
    }
}
