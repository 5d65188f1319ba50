import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import Synchronization
import TestRequests
import Testing

/// An instance whose store has a writer, like a process that serves devices.
final class DeviceInstance {
    let instance: TestInstance
    let writer: WriteService
    let register: RegisterDevice
    let record: RecordHit
    private let ended = DispatchSemaphore(value: 0)

    var operations: Operations { instance.operations }

    init(
        _ settings: String = "<trackinglogd autoStart='true'/>",
        monotonic: @escaping @Sendable () -> MonotonicTime = { MonotonicTime(nanoseconds: 0) },
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        instance = try TestInstance.withApp(settings, monotonic: monotonic)
        _ = try instance.operations.carryOut(TestInstance.stubApp("android", platform: .android))
        writer = WriteService(
            store: instance.store, judge: { _ in .wait }, clock: WriteClock(wall: { TestInstance.noon }),
            events: { _ in })
        register = RegisterDevice(instance.operations, writer: writer, report: report)
        record = try RecordHit(instance.operations, writer: writer, report: report)
        Thread.detachNewThread { [writer] in writer.run() }
        Thread.detachNewThread { [writer, ended] in
            writer.callBack()
            ended.signal()
        }
    }

    deinit { endWriter() }

    /// Ends the writer. When this returns, nothing more is written.
    func endWriter() {
        writer.end()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        ended.signal()
    }

    /// Returns a device's request, in which `number` determines the token.
    static func form(
        _ number: Int, key: String = "key of ios", user: String = "", device: String = "",
        parameters: String = ""
    ) -> [UInt8] {
        let token = String(repeating: "0", count: 62) + String(format: "%02x", number)
        let xml = "%3CadditionalParams%3E\(parameters)%3C%2FadditionalParams%3E"
        return Array(
            """
            registrationToken=\(token)&mobileAppUuid=\(key.replacing(" ", with: "%20"))&userKey=\(user)&deviceImei=\(device)\
            &osName=iOS&osVersion=iOS%2016.4&osLanguage=en-US&additionalParams=\(xml)
            """.utf8)
    }

    static func parameter(_ name: String, _ value: String) -> String {
        "%3Cparam%20name%3D%22\(name)%22%20value%3D%22\(value)%22%20%2F%3E"
    }

    func hit(_ id: String, _ delivery: String, _ tag: String) async -> RecordHit.Answer {
        await record.perform(query: Array("id=h\(id),\(delivery),\(tag)".utf8))
    }
}

@Suite struct DeviceStories {
    @Test func `a device registers, receives and reports, and the funnel matches its actions`() async throws {
        for format in [MessageIDFormat.integer, .uuid] {
            let devices = try DeviceInstance()
            _ = try devices.operations.carryOut(UpdateApp(name: "ios", messageIdFormat: format))
            for number in 1...3 {
                let refusal = await devices.register.perform(
                    body: DeviceInstance.form(number, user: "user\(number)"), platform: .ios)
                #expect(refusal == nil)
            }
            let subscriber = try devices.operations.everySubscriber(.userKey("user1"))[0]
            #expect([subscriber.language, subscriber.os, subscriber.model] == ["en-US", "iOS 16.4", ""])
            let id = try devices.operations.carryOut(try TestInstance.submission()).id
            try devices.instance.accept(id)
            var rows: [MessageLogRow] = []
            try ReadDeliveryLog(id: id).perform(in: devices.operations) { rows += $0 }
            // The SDKs convert an integer to hexadecimal.
            let ids = rows.compactMap(\.messageId).map { id in Int(id).map { String($0, radix: 16) } ?? id }
            #expect(await devices.hit(ids[0], "\(id)", "1") == .recorded(.first))
            #expect(await devices.hit(ids[0].uppercased(), "\(id)", "1") == .recorded(.repeated))
            #expect(await devices.hit(ids[1], "\(id)", "2") == .recorded(.first))
            #expect(await devices.hit(ids[1], "\(id.rawValue + 1)", "2") == .unknown)
            #expect(await devices.hit("1", "\(id)", "1") == .unknown)
            #expect(await devices.hit("zz", "\(id)", "1") == .unknown)
            let counts = devices.record.counts
            #expect(counts.first == 2 && counts.repeated == 1 && counts.unknown == 2)
            #expect(counts.malformed == [.message: 1])

            let shown = try devices.operations.carryOut(ShowDelivery(id: id)).delivery.counts
            #expect(shown.sent == 3 && shown.received == 2 && shown.clicked == 1)
            let statistics = try devices.operations.carryOut(
                ShowDeliveryStatistics(id: id, looksAtDevices: true))
            #expect(statistics.counts == shown)
            #expect(statistics.apps.map { [$0.sent, $0.received, $0.clicked] } == [[3, 2, 1]])
            #expect(statistics.minutes.map(\.clicked) == [1] && statistics.minutes.map(\.sent) == [3])
            #expect(
                statistics.devices?.map { "\($0.platform) \($0.os) \($0.language) \($0.count)" }
                    == ["ios iOS 16.4 en-US 3"])
            let service = try devices.operations.carryOut(ShowServiceStatistics(name: "neotrips"))
            #expect(service.apps.map(\.app) == ["android", "ios"] && service.apps.map(\.valid) == [0, 3])
            #expect(service.apps[1].days.map(\.registered) == [3])
            #expect(try devices.operations.carryOut(RecountDelivery(id: id)).repairedHits == 0)
        }
    }

    @Test func `an unknown key and a key for the other platform have refusals that differ from all others`()
        async throws
    {
        let devices = try DeviceInstance()
        for (key, platform, expected) in [
            ("nobody's", .ios, .unknownKey),
            ("key of ios", .android, .otherPlatform(page: "registerIOS.jssp")),
            ("key of android", .ios, .otherPlatform(page: "registerAndroid.jssp")),
        ] as [(String, Platform, RegistrationRefusal)] {
            let refusal = await devices.register.perform(
                body: DeviceInstance.form(1, key: key), platform: platform)
            #expect(refusal == expected)
        }
        #expect(try devices.operations.carryOut(CountSubscribers()).allSatisfy { $0.subscribers == 0 })
        // An app can be used as soon as it exists.
        _ = try devices.operations.carryOut(TestInstance.stubApp("new"))
        let body = DeviceInstance.form(1, key: "key of new")
        #expect(await devices.register.perform(body: body, platform: .ios) == nil)
        // The app can no longer be used once it is deleted, whatever was cached.
        _ = try devices.operations.carryOut(DeleteApp(name: "new"))
        #expect(await devices.register.perform(body: body, platform: .ios) == .unknownKey)
        #expect(await devices.register.perform(body: body, platform: .ios) == .unknownKey)
        #expect(
            await devices.register.perform(body: [0xFF, 0], platform: .ios)
                == .missing(field: "registrationToken"))
    }

    @Test func `declared parameters are checked, and undeclared parameters are left out`() async throws {
        let devices = try DeviceInstance()
        _ = try devices.operations.carryOut(
            UpdateApp(
                name: "ios",
                parameters: [.init(name: "city", kind: .text), .init(name: "points", kind: .number)]))
        #expect(
            try devices.operations.carryOut(ShowApp(name: "ios")).app.parameters.map(\.name) == [
                "city", "points",
            ])
        func register(_ parameters: String) async -> RegistrationRefusal? {
            await devices.register.perform(
                body: DeviceInstance.form(1, user: "anna", parameters: parameters), platform: .ios)
        }
        let points = DeviceInstance.parameter("points", "12")
        #expect(await register(points + DeviceInstance.parameter("shoe", "42")) == nil)
        let refusal = await register(DeviceInstance.parameter("points", "many"))
        #expect(refusal?.code == "INVALID_PARAMETER" && refusal?.description.contains("points") == true)
        let shown = try devices.operations.everySubscriber(.userKey("anna"), app: "ios")
        #expect(shown.map(\.parameters) == [["points": "12"]])
        _ = try devices.operations.carryOut(
            UpdateApp(name: "ios", removedParameters: ["city", "points"]))
        #expect(try devices.operations.carryOut(ShowApp(name: "ios")).app.parameters == [])
    }

    @Test func `the next registration sees a change to the app`() async throws {
        let devices = try DeviceInstance()
        func register() async -> RegistrationRefusal? {
            let parameters =
                DeviceInstance.parameter("city", "Paris") + DeviceInstance.parameter("shoe", "42")
            return await devices.register.perform(
                body: DeviceInstance.form(1, user: "anna", parameters: parameters), platform: .ios)
        }
        func parameters() throws -> [[String: String]] {
            try devices.operations.everySubscriber(.userKey("anna"), app: "ios").map(\.parameters)
        }
        func undeclared() throws -> [String?] {
            try devices.operations.carryOut(ShowApp(name: "ios")).undeclaredParameters.map(\.name)
        }
        // The clock is fixed, so a cached app never becomes too old.
        #expect(await register() == nil)
        #expect(try parameters() == [["city": "Paris", "shoe": "42"]])
        _ = try devices.operations.carryOut(
            UpdateApp(name: "ios", parameters: [.init(name: "city", kind: .number)]))
        #expect(await register()?.code == "INVALID_PARAMETER")
        _ = try devices.operations.carryOut(
            UpdateApp(name: "ios", parameters: [.init(name: "city", kind: .text)]))
        #expect(await register() == nil)
        #expect(try undeclared() == ["shoe"])
        _ = try devices.operations.carryOut(
            UpdateApp(name: "ios", parameters: [.init(name: "shoe", kind: .number)]))
        #expect(try undeclared() == [])
        #expect(await register() == nil)
        #expect(try undeclared() == [])
        _ = try devices.operations.carryOut(DeleteApp(name: "ios"))
        _ = try devices.operations.carryOut(TestInstance.stubApp("ios"))
        #expect(await register() == nil)
        #expect(try parameters() == [["city": "Paris", "shoe": "42"]])
    }

    @Test func `a misspelled parameter erases no value, and the operator sees the misspelled name`()
        async throws
    {
        let lines = Mutex<[String]>([])
        let devices = try DeviceInstance(report: { line in lines.withLock { $0.append(line) } })
        _ = try devices.operations.carryOut(
            UpdateApp(
                name: "ios",
                parameters: [.init(name: "firstName", kind: .text), .init(name: "city", kind: .text)]))
        func register(_ parameters: KeyValuePairs<String, String>, as user: String = "ada") async throws
            -> [String: String]
        {
            let xml = parameters.map { DeviceInstance.parameter($0.key, $0.value) }.joined()
            let body = DeviceInstance.form(1, user: user, parameters: xml)
            #expect(await devices.register.perform(body: body, platform: .ios) == nil)
            let shown = try devices.operations.carryOut(ShowSubscribers(.userKey(user), app: "ios"))
            return try #require(shown.items.first).parameters
        }
        #expect(try await register(["firstName": "Ada", "city": "Rome"]).count == 2)
        #expect(try await register(["fristName": "Eve"]) == ["firstName": "Ada", "city": "Rome"])
        #expect(
            try await register(["fristName": "Eve", "city": "Oslo"]) == ["firstName": "Ada", "city": "Oslo"])
        #expect(try await register(["fristName": "Eve", "city": ""]) == ["firstName": "Ada"])
        let shown = try devices.operations.carryOut(ShowApp(name: "ios")).undeclaredParameters
        #expect(shown.map(\.name) == ["fristName"] && shown.map(\.registrations) == [3])
        #expect(devices.register.undeclaredParameters.map(\.registrations) == [3])
        let lineOfFirstHour = lines.withLock(\.self)
        #expect(lineOfFirstHour.count == 1)
        #expect(lineOfFirstHour.first?.hasPrefix("app ios: a registration has parameters") == true)
        #expect(lineOfFirstHour.first?.contains("fristName") == true)
        // Only declared names replace the stored parameters. Without any, the stored ones are kept.
        #expect(try await register(["city": "Rome"]) == ["city": "Rome"])
        #expect(try await register(["fristName": "Bob"], as: "bob") == [:])
    }

    @Test func `the log states once an hour why reports are not recorded, and how many`() async throws {
        let lines = Mutex<[String]>([])
        let seconds = Mutex<Int64>(0)
        let devices = try DeviceInstance(
            monotonic: { MonotonicTime(nanoseconds: seconds.withLock(\.self) * 1_000_000_000) })
        let body = DeviceInstance.form(1, user: "user1")
        #expect(await devices.register.perform(body: body, platform: .ios) == nil)
        let id = try devices.operations.carryOut(try TestInstance.submission()).id
        try devices.instance.accept(id)
        var rows: [MessageLogRow] = []
        try ReadDeliveryLog(id: id).perform(in: devices.operations) { rows += $0 }
        let message = try #require(rows.first?.messageId)
        let record = try RecordHit(
            devices.operations, writer: devices.writer, report: { line in lines.withLock { $0.append(line) } }
        )
        func hit(_ message: String, at second: Int64) async -> RecordHit.Answer {
            seconds.withLock { $0 = second }
            return await record.perform(query: Array("id=h\(message),\(id),1".utf8))
        }
        for _ in 0..<4 { #expect(await hit("zz", at: 0) == .unknown) }
        #expect(await hit("1", at: 3_599) == .unknown)
        #expect(lines.withLock(\.count) == 1)
        #expect(await hit("1", at: 3_600) == .unknown)
        #expect(await hit("zz", at: 3_601) == .unknown)
        #expect(lines.withLock(\.count) == 2)
        // The counts of the last hour do not wait for another report that is not recorded.
        let spelled = Int(message).map { String($0, radix: 16) } ?? message
        #expect(await hit(spelled, at: 7_200) == .recorded(.first))
        #expect(await hit(spelled, at: 10_800) == .recorded(.repeated))
        let noHex = "the message is neither hex nor a UUID"
        let starts = [
            "1 report to /r/ not recorded (1: \(noHex))",
            "5 reports to /r/ not recorded in 60 minutes (3: \(noHex); 2: the store has no such message)",
            "1 report to /r/ not recorded in 60 minutes (1: \(noHex))",
        ]
        let logged = lines.withLock(\.self)
        #expect(logged.count == starts.count)
        for (line, start) in zip(logged, starts) {
            #expect(line.hasPrefix(start) && line.contains("pushmta_hits_total"), "\(line)")
        }
    }

    @Test func `reports that are not recorded are answered like others and have no further effect`()
        async throws
    {
        let devices = try DeviceInstance("<trackinglogd autoStart='false'/>")
        #expect(await devices.hit("1", "1", "1") == .off)
        #expect(RecordHit.Answer.off.httpStatus == 200 && devices.record.counts.unknown == 0)
    }

    @Test func `a writer that has ended refuses reports and asks the client to retry`() async throws {
        let devices = try DeviceInstance()
        #expect(await devices.register.perform(body: DeviceInstance.form(1), platform: .ios) == nil)
        devices.endWriter()
        let refusal = await devices.register.perform(body: DeviceInstance.form(2), platform: .ios)
        #expect(refusal == .busy)
    }
}
