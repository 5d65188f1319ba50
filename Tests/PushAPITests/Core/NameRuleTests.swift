import PushAPI
import PushModel
import TestRequests
import Testing

struct NameRuleTests {
    /// Clients and proxies remove these from a path, so `/services/..` would become `/`.
    @Test(arguments: [".", ".."])
    func `an object with an address cannot have a name that stands for a folder in a path`(name: String)
        throws
    {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        let attempts: [(String, () throws -> Void)] = [
            ("service", { _ = try operations.carryOut(CreateService(name: name)) }),
            (
                "app",
                {
                    _ = try operations.carryOut(
                        CreateApp(
                            name: name, service: "neotrips", platform: .android, integrationKey: "k",
                            connector: "stub"))
                }
            ),
            (
                "template",
                {
                    let document = Array(#"{"content": {"title": "t"}}"#.utf8)
                    _ = try operations.carryOut(
                        SaveTemplate(
                            name: name, service: "neotrips", document: document, documentName: "t"))
                }
            ),
            (
                "webhook",
                {
                    _ = try operations.carryOut(
                        CreateWebhook(
                            name: name, url: "https://localhost/", events: [.sent], service: nil,
                            authorities: nil))
                }
            ),
            (
                "token",
                { _ = try operations.carryOut(CreateAccessToken(name: name, scopes: [.send])) }
            ),
        ]
        for (kind, attempt) in attempts {
            let error = #expect(throws: OperationError.self) { try attempt() }
            #expect(
                error?.description.contains("\(kind)'s name \"\(name)\" would be a folder") == true,
                "\(String(describing: error))")
        }
        #expect(try operations.carryOut(CreateService(name: "...")).name == "...")
    }
}
