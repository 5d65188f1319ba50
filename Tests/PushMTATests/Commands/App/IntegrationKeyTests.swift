import Foundation
import TestSupport
import Testing

/// Tests an app with two integration keys, with a running service and its web module.
struct IntegrationKeyTests {
    private static func register(_ number: Int, key: String, at address: String) throws -> Int {
        let form =
            "registrationToken=\(String(format: "%064x", number))&mobileAppUuid=\(key)&userKey=user\(number)"
        return try PlainHTTP.post("/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: address).status
    }

    @Test(.eachEngine)
    func `devices register with both keys until one is retired, which the command confirms`()
        async throws
    {
        let web = #"<web autoStart="true" httpPort="0"/></serverConf>"#
        let workspace = try await Workspace.withApp(
            Workspace.configuration().replacing("</serverConf>", with: web))
        try await workspace.succeed("app", "update", "ios", "--integration-key", "old")
        try await workspace.withMaster { _ in
            let address = try await WebTests.address(of: workspace)
            try await eventually("it accepts registrations") {
                try Self.register(1, key: "old", at: address) == 200
            }
            #expect(try Self.register(2, key: "new", at: address) == 404)
            try await workspace.succeed("app", "update", "ios", "--add-integration-key", "new")
            #expect(try Self.register(2, key: "new", at: address) == 200)
            #expect(try Self.register(1, key: "old", at: address) == 200)
            let show = try await workspace.succeed("app", "show", "ios").output
            #expect(
                show.contains(/integration key +new \(1 registration since [^,]+, the last at [^)]+\)\n/),
                "\(show)")
            #expect(show.contains(/former key +old \(1 registration since/), "\(show)")

            let refused = try await workspace.run(
                "app", "update", "ios", "--retire-integration-key", "old")
            #expect(refused.status == 3 && refused.errors.contains("add --yes"), "\(refused.errors)")
            #expect(try Self.register(1, key: "old", at: address) == 200)
            let retired = try await workspace.succeed(
                "app", "update", "ios", "--retire-integration-key", "old", "--yes")
            #expect(retired.errors.contains("may still be in use"), "\(retired.errors)")
            #expect(try Self.register(1, key: "old", at: address) == 404)
            #expect(try Self.register(1, key: "new", at: address) == 200)
        }
    }
}
