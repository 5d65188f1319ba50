import Testing
import pushmta

struct FieldListTests {
    @Test func `values are aligned in one column`() {
        let list = FieldList([("id", "7"), ("label", "Spring\tsale"), ("rate", "")])
        #expect(list.lines == ["id     7", #"label  Spring\tsale"#, "rate"])
    }

    @Test func `values are wrapped at the terminal's width, but words are never divided`() {
        let text = "held back, see https://example.com/a/long/address for more"
        let list = FieldList([("id", "7"), ("state", text)])
        #expect(list.lines(within: nil) == list.lines)
        #expect(
            list.lines(within: 30) == [
                "id     7", "state  held back, see", "       https://example.com/a/long/address",
                "       for more",
            ])
    }
}
