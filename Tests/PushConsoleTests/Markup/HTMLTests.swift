import PushConsole
import Testing

@Suite struct HTMLTests {
    @Test func `an inserted text cannot become markup`() {
        let text = "<script>alert('1')</script>&\"\u{0}"
        let html: HTML = "<p title=\"\(text)\">\(text)</p>"
        let escaped = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;\u{FFFD}"
        #expect(html.text == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test func `inserted markup stays markup`() {
        let item: HTML = "<li>\("a&b")</li>"
        #expect(
            ("<ul>\([item, item])\(nil as HTML?)</ul>" as HTML).text
                == "<ul><li>a&amp;b</li><li>a&amp;b</li></ul>")
    }

    @Test func `an address with a script is not inserted`() {
        #expect(("\(url: "javascript:alert(1)")" as HTML).text == "#")
        #expect(("\(url: "https://example.com/?a=1&b=2")" as HTML).text == "https://example.com/?a=1&amp;b=2")
    }

    @Test func `a value in a path is percent-encoded`() {
        let path: ConsolePath = "/services/\("a/b?c=d")"
        #expect(path.url == "/console/services/a%2Fb%3Fc%3Dd")
    }

    @Test(arguments: ["https://evil.example/", "//evil.example", "/\\evil.example", "/../api", "", "/a b"])
    func `a path to return to stays in the console`(text: String) {
        #expect(ConsolePath(returning: text) == nil)
    }
}
