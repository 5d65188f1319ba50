import PushAPI
import PushModel
import TestRequests
import Testing

struct AbsentNameTests {
    private func error(_ instance: TestInstance, _ use: some ShortOperation) -> OperationError? {
        failure { () throws(OperationError) in _ = try instance.operations.carryOut(use) }
    }

    @Test func `an error about a name that does not exist lists the existing names`() throws {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        let app = TestInstance.stubApp("droid", platform: .android, service: "neotrip")
        #expect(
            error(instance, app) == .absent("there is no service neotrip; existing services: neotrips"))
        #expect(
            error(instance, RevokeAccessToken(name: "crm"))
                == .absent("there is no token crm; create one: 'pushmta token create'"))
        for name in ["billing", "old"] {
            _ = try operations.carryOut(CreateAccessToken(name: name, scopes: [.read]))
        }
        _ = try operations.carryOut(RevokeAccessToken(name: "old"))
        #expect(
            error(instance, RevokeAccessToken(name: "old"))
                == .absent("there is no token old; existing tokens: billing"))
    }

    @Test func `a webhook that does not exist is refused by every use case with the existing webhooks`()
        throws
    {
        let instance = try TestInstance.withApp()
        func create(_ name: String, service: String?) -> CreateWebhook {
            CreateWebhook(
                name: name, url: "https://crm.example.com/push", events: [.failed], service: service,
                authorities: nil)
        }
        let absent = OperationError.absent("there is no service other; existing services: neotrips")
        #expect(error(instance, create("crm", service: "other")) == absent)
        _ = try instance.operations.carryOut(create("crm", service: "neotrips"))
        let unknown = OperationError.absent("there is no webhook cmr; existing webhooks: crm")
        #expect(error(instance, UpdateWebhook(name: "cmr")) == unknown)
        #expect(error(instance, RotateWebhookSecret(name: "cmr")) == unknown)
        #expect(error(instance, DeleteWebhook(name: "cmr")) == unknown)
        #expect(error(instance, TestWebhook(name: "cmr")) == unknown)
    }

    @Test func `a long list of names begins with the most similar name and has an end`() throws {
        let instance = try TestInstance()
        for number in 10...40 {
            _ = try instance.operations.carryOut(CreateService(name: "s\(number)"))
        }
        _ = try instance.operations.carryOut(CreateService(name: "shop"))
        let similar = error(instance, TestInstance.stubApp("ios", service: "shp"))
        let first = "there is no service shp; existing services: shop, s10, s11, "
        #expect(similar?.description.hasPrefix(first) == true)
        #expect(similar?.description.hasSuffix(", s27, s28, …") == true)
        let unlike = error(instance, try TestInstance.submission(["service": "neotrips"]))
        let words = "sale.json: service: there is no service neotrips; existing services: s10, s11, "
        #expect(unlike?.description.hasPrefix(words) == true)
        #expect(unlike?.description.hasSuffix(", s28, s29, …") == true)
    }
}
