import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `a wrong key stops its account and no other; the right one lets it go on within seconds`()
        async throws
    {
        let count = 500
        try await withHouse { house in
            try await house.createService()
            try await house.createApp("sick", try house.strangeKey(), bundleID: house.account.bundleID)
            try await house.createApp("sound", credential: .certificate)
            try await house.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d"], perPrefix: count), into: "sick")
            try await house.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["e"], perPrefix: count), into: "sound")
            try await house.startEngine()
            let delivery = try await house.submit(DeliveryText(apps: ["sick", "sound"]))
            let held = try await house.wait(for: delivery, "the sound half to be sent") {
                $0.counts.sent == count
            }
            #expect(held.counts.pending == count && held.counts.failed == 0)
            let account = try await house.account(in: "closed")
            #expect(account.reason.contains("InvalidProviderToken"))
            let shown = try await house.succeed(["delivery", "show", "\(delivery)"]).output
            #expect(shown.contains("InvalidProviderToken"))

            // The same key identifier, so the gateway's connection of old must not be used again.
            try await house.succeed(["app", "update", "sick"] + house.ownKey)
            // Of itself the account would be asked again after half a minute.
            try await house.settle(delivery, within: .seconds(25))
            #expect(house.logLines("is stopped, its messages wait").count == 1)
            #expect(house.logLines("goes on through").count == 1)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(ledger == .everyoneOnce(2 * count).with { $0.rejected = ledger.rejected })
            // One request told the engine.
            #expect((1...2).contains(ledger.rejected))
            #expect(try await house.messageLog(delivery).allSatisfy { $0.attempts == 1 })
        }
    }

    @Test func `a wrong topic stops its account; the right one lets it go on within seconds`() async throws {
        let count = 300
        try await withHouse { house in
            try await house.createService()
            try await house.createApp(House.app, house.ownKey, bundleID: "org.example.stranger")
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            let delivery = try await house.submit()
            let account = try await house.account(in: "closed")
            #expect(account.reason.contains("Topic"))
            #expect(try await house.show(delivery).counts.pending == count)

            // What was submitted is what is sent, so that what waits has to be named too.
            let update = try await house.succeed([
                "app", "update", House.app, "--bundle-id", house.account.bundleID,
            ])
            #expect(update.complaints.contains("app update \(House.app) --live-deliveries"))
            try await house.succeed(["app", "update", House.app, "--live-deliveries"])
            // Of itself the account would be asked again after half a minute.
            try await house.settle(delivery, within: .seconds(25))
            #expect(house.logLines("is stopped, its messages wait").count == 1)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(ledger == .everyoneOnce(count).with { $0.rejected = ledger.rejected })
            #expect((1...3).contains(ledger.rejected))
        }
    }

    @Test func `a project that was refused is asked again at once when its app is updated`() async throws {
        let count = 300
        var settings = HouseSettings()
        var fcm = HouseSettings.Gateway.FCM()
        fcm.rules = "* rpc 403 PERMISSION_DENIED times 1\n"
        settings.gateway.fcm = fcm
        settings.parallelRequests = 1
        try await withHouse(settings) { house in
            try await house.createService()
            try await house.createAndroidApp()
            try await house.importSubscribers(.init(count, isAndroid: true), into: House.androidApp)
            try await house.startEngine()
            let delivery = try await house.submit(DeliveryText(apps: [House.androidApp]))
            let account = try await house.account(in: "closed")
            #expect(account.reason.contains("PERMISSION_DENIED"))
            #expect(try await house.show(delivery).counts.pending == count)

            // The project was mended in Google's console; the credential is what it was.
            let file = house.folder.file("certs/service-account.json")
            try await house.succeed(["app", "update", House.androidApp, "--service-account", file])
            // Of itself the account would be asked again after half a minute.
            try await house.settle(delivery, within: .seconds(25))
            #expect(house.logLines("is stopped, its messages wait").count == 1)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count).with { $0.rejected = 1 })
        }
    }
}
