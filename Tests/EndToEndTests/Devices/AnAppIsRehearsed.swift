import Testing
import pushload

/// A rehearsal with a test device. The device is curl, which registers and reports as an SDK does.
extension EndToEnd.Devices {
    private static let token = String(repeating: "a1", count: 32)

    /// Provides a running service with its web module.
    private static func withService(
        store: TestbedSettings.StoreEngine = TestbedSettings.usualStore,
        _ story: (Testbed, CurlClient) async throws -> Void
    ) async throws {
        var settings = TestbedSettings(store: store)
        settings.web = true
        settings.keepsWebPort = true
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await story(testbed, CurlClient(testbed, port: testbed.ports.web, isSecure: false))
        }
    }

    /// Starts the command, and waits until it waits for a device.
    private static func begin(_ testbed: Testbed, _ options: [String]) async throws -> RunningProcess {
        let command = try testbed.launch(["app", "rehearse", Testbed.app] + options)
        try await Waiting.until("the rehearsal to begin") {
            Folder.text(command.complaints).contains("registration: start the app") ? () : nil
        }
        return command
    }

    private static func form(_ key: String) -> DeviceForm {
        var form = DeviceForm(isAndroid: false, token: token, integrationKey: key)
        (form.userKey, form.model, form.osName) = ("anna", "iPhone16,2", "iOS")
        return form
    }

    @Test(
        arguments: [
            (true, .sqlite), (true, .postgresql), (false, .sqlite),
        ] as [(Bool, TestbedSettings.StoreEngine)])
    func `a rehearsal reports every link, and a link that is missing`(
        clicks: Bool, store: TestbedSettings.StoreEngine
    ) async throws {
        try await Self.withService(store: store) { testbed, device in
            let command = try await Self.begin(
                testbed,
                ["--user-key", "anna", "--receipt-seconds", "60", "--click-seconds", clicks ? "60" : "3"])
            let wrong = try await device.ask(Self.form("Shop").path, form: Self.form("Shop").body)
            #expect(wrong.hasPrefix("404 "))
            let form = Self.form(Testbed.app)
            let answer = try await device.ask(form.path, form: form.body)
            #expect(answer.hasPrefix("200 "))
            let requests = try await Waiting.until("the message to arrive") {
                let all = try testbed.gatewayRequests()
                return all.isEmpty ? nil : all
            }
            #expect(requests.count == 1 && requests[0].body.contains("Open this notification"))
            for tag in clicks ? [1, 2] : [1] {
                let report = try DeviceForm.report(about: requests[0].body, tag: tag)
                #expect(try await device.ask(report) == "200 ")
            }
            let ending = try await command.end()
            let output = Folder.text(command.output)
            #expect(ending.status == (clicks ? 0 : 1), "\(output)")
            #expect(output.contains("registration: a device registered (iPhone16,2)\n"), "\(output)")
            #expect(output.contains("  seen: a registration with the integration key Shop"), "\(output)")
            #expect(output.contains("sending: the gateway accepted the message\n"))
            #expect(output.contains("receipt: the device reported the receipt\n"))
            #expect(output.contains("click: the device reported the click\n") == clicks)
            #expect(output.contains("every link works") == clicks)
            #expect(output.contains("did not report the click within 3 seconds") == !clicks)
        }
    }

    @Test func `a client of the API rehearses an app with a job`() async throws {
        try await Self.withService { testbed, device in
            let secret = Folder.text(testbed.folder.file("var/api.token")).prefix { $0 != "\n" }
            let path = "/api/v1/apps/\(Testbed.app)/rehearse"
            let started = try await device.ask(path, json: #"{"registrationSeconds": 1}"#, token: "\(secret)")
            #expect(started.hasPrefix("202 "), "\(started)")
            let job = try #require(started.firstMatch(of: /"id": ?([0-9]+)/)).1
            let ended = try await Waiting.until("the job to end") {
                let shown = try await device.ask("/api/v1/jobs/\(job)", token: "\(secret)")
                return shown.contains(/"state": ?"done"/) ? shown : nil
            }
            #expect(ended.contains("no device registered with app \(Testbed.app)"), "\(ended)")
        }
    }
}
