import TestSupport
import Testing

struct APIPeopleTests {
    @Test func `people are managed with the scope people, which only its owner can give`() async throws {
        try await APICaller.with { caller in
            let made = try caller.ask(
                "POST", "/people", #"{"name": "anna", "role": "admin"}"#)
            #expect(made.status == 201 && made.plain.header("Location") == "/api/v1/people/anna")
            #expect((made["link"] as? String)?.hasPrefix("/console/welcome?key=") == true)
            let scopes = #"{"name": "ops", "scopes": ["read", "send", "admin"]}"#
            var operations = caller
            operations.token = try caller.ask("POST", "/tokens", scopes)["token"] as? String
            for (method, path) in [
                ("GET", "/people"), ("GET", "/people/anna"), ("DELETE", "/people/anna"),
                ("POST", "/people/anna/reset"), ("GET", "/people/anna/sessions"),
            ] {
                #expect(try operations.ask(method, path).status == 403, "\(method) \(path)")
            }
            let greedy = #"{"name": "more", "scopes": ["people"]}"#
            #expect(try operations.ask("POST", "/tokens", greedy).status == 422)
            #expect(try caller.ask("POST", "/tokens", greedy).status == 201)
            #expect(try caller.ask("DELETE", "/people/anna").status == 409)
            // Only a command can insist.
            #expect(try caller.ask("DELETE", "/people/anna?force=true").status == 400)
            let role = #"{"role": "viewer", "services": ["shop"]}"#
            #expect(try caller.ask("PUT", "/people/anna/role", role).status == 409)
            #expect(try caller.ask("POST", "/people", #"{"name": "bert", "role": "admin"}"#).status == 201)
            #expect(try caller.ask("PUT", "/people/anna/role", role)["services"] as? [String] == ["shop"])
            #expect(try caller.ask("PUT", "/people/anna/role", #"{"role": "root"}"#).status == 422)
            #expect(try caller.ask("GET", "/people/nobody").status == 404)
        }
    }
}
