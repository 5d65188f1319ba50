import PushMaster
import Testing

struct AppNamesTests {
    @Test(arguments: [
        ([], ""), (["shop"], "app shop"), (["shop", "news"], "apps news and shop"),
        (["c", "b", "a"], "apps a, b and c"), (["d", "c", "b", "a", "e"], "apps a, b, c and 2 more"),
    ])
    func `a few names are listed, and the remaining names are counted`(names: [String], text: String) {
        #expect(AppNames.brief(names) == text)
    }

    @Test func `a long list of long names becomes a short text on one line`() {
        let text = AppNames.brief((0..<10_000).map { "\($0)\n" + String(repeating: "x", count: 256) })
        #expect(text.utf8.count < 400)
        #expect(!text.contains("\n"))
    }
}
