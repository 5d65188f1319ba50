import PushWire
import TestSupport
import Testing

struct APIReferencePageTests {
    @Test func `the API reference page is generated from the API description`() async throws {
        try await WebFixture.with { web in
            let reply = try PlainHTTP.get("/api/v1/openapi.json", at: web.address)
            let description = try JSONParser.parse(Array(reply.body.utf8))
            try ReferencePage("API.md").check(APIReference(of: description).text)
        }
    }
}
