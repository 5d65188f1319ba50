import PushConsole
import PushModel
import Testing

@Suite struct RequestTests {
    private func multipart(_ text: String) -> ConsoleRequest? {
        var request = ConsoleRequest(.post)
        let body = Array(text.replacing("\n", with: "\r\n").utf8)
        return request.read(body: body, type: "multipart/form-data; boundary=xyz") ? request : nil
    }

    @Test func `a form with files has fields and files`() throws {
        let request = try #require(
            multipart(
                """
                --xyz
                Content-Disposition: form-data; name="text"

                first line
                second line
                --xyz
                Content-Disposition: form-data; name="list"; filename="a %22b%22.csv"
                Content-Type: text/csv

                token,key
                --xyz--

                """))
        #expect(request.form.exact("text") == "first line\nsecond line")
        #expect(request.files.map(\.name) == ["a \"b\".csv"] && request.files.map(\.field) == ["list"])
        #expect(request.files.first?.bytes == Array("token,key".utf8))
    }

    @Test(arguments: ["", "--xyz", "--xyz\nno head", "--xyz\nA: b\n\ncontent\n--xyz--", "--abc--"])
    func `a broken form is refused`(text: String) { #expect(multipart(text) == nil) }

    @Test func `values of a form are decoded, and broken ones are refused`() {
        let form = FormFields(urlencoded: "a=1+2&b=%C3%A4&a=3&c".utf8)
        #expect(
            form?["a"] == "1 2" && form?.all("a") == ["1 2", "3"] && form?["b"] == "ä" && form?["c"] == "")
        for broken in ["a=%", "a=%FF", "a=%00", "a=%zz"] {
            #expect(FormFields(urlencoded: broken.utf8) == nil)
        }
    }

    @Test func `only forms are accepted as bodies`() {
        #expect(
            ConsoleRequest.maxBodyBytes(of: "application/x-www-form-urlencoded; charset=UTF-8") == 256 << 10)
        #expect(ConsoleRequest.maxBodyBytes(of: "multipart/form-data; boundary=x") == 8 << 20)
        for type in ["", "application/json", "text/plain", "multipart/form-data"] {
            #expect(ConsoleRequest.maxBodyBytes(of: type) == 0)
        }
    }
}
