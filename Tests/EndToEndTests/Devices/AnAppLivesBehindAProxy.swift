import Foundation
import TestSupport
import TestTLS
import Testing
import pushload

/// An app's life cycle as its SDK runs it: the app registers, receives its notification, and reports that the
/// notification was shown and clicked. The client is an external program, curl, which uses each route by
/// which devices reach the service.
extension EndToEnd.Devices {
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case clear, tls, proxy = "a proxy with TLS"
        var testDescription: String { rawValue }
    }

    /// The test covers each route and each format of ids, but not each combination, because the two are
    /// independent.
    @Test(arguments: [(Way.clear, "integer"), (.clear, "uuid"), (.tls, "integer"), (.proxy, "uuid")])
    func `an app behind a proxy registers and is reached, and its reports are counted once`(
        way: Way, ids: String
    )
        async throws
    {
        if way == .proxy {
            guard InstalledProgram.isThere(ReverseProxy.program, debianPackage: "nginx") else { return }
        }
        let authority = TestAuthority()
        var settings = TestbedSettings()
        settings.web = true
        settings.keepsWebPort = true
        settings.messageIDFormat = ids
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        if way == .tls { settings.webAttributes = #"certificateChain="web.pem" privateKey="web.key""# }
        if way == .proxy { settings.webAttributes = #"trustedProxies="127.0.0.1""# }
        try await withTestbed(settings) { testbed in
            let server = authority.issue()
            try Data(authority.pem).write(to: URL(filePath: testbed.folder.file("authority.pem")))
            try Data(server.certificatePEM).write(to: URL(filePath: testbed.folder.file("web.pem")))
            try Data(server.keyPEM).write(to: URL(filePath: testbed.folder.file("web.key")))
            try await testbed.createApp()
            try await testbed.createAndroidApp(messageIDFormat: ids)
            try await testbed.startEngine()
            let proxy = way == .proxy ? try await ReverseProxy(testbed) : nil
            let port = proxy?.port ?? testbed.ports.web
            let client = CurlClient(testbed, port: port, isSecure: way != .clear)
            for device in Self.devices {
                let answer = try await client.ask(device.path, form: device.body)
                #expect(answer == #"200 <?xml version="1.0" encoding="UTF-8"?><register status="ok"/>"#)
            }
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.app, Testbed.androidApp]))
            try await testbed.settle(delivery)
            try await Self.report(testbed, client)
            let token = Folder.text(testbed.folder.file("var/api.token")).prefix { $0 != "\n" }
            let said = try await client.ask("/api/v1/deliveries/\(delivery)/statistics", token: "\(token)")
            #expect(said.hasPrefix("200 "))
            let report = try JSONDecoder().decode(StatisticsReport.self, from: Data(said.utf8.dropFirst(4)))
            #expect(report.apps.count == 2)
            for app in report.apps {
                #expect(app.sent == 1 && app.received == 1 && app.clicked == 1, "\(app)")
            }
            proxy?.process.killAndReap()
        }
    }

    /// One device for each SDK.
    private static var devices: [DeviceForm] {
        var phone = DeviceForm(
            isAndroid: false, token: String(repeating: "a1", count: 32), integrationKey: Testbed.app)
        (phone.userKey, phone.name, phone.osName) = ("Zoë & Söhne", "Ada's \"phone\"", "iOS")
        phone.parameters = [("firstName", "<Zoë> & 'Ada'")]
        var other = DeviceForm(isAndroid: true, token: "t:1_android-Z", integrationKey: Testbed.androidApp)
        (other.userKey, other.imei, other.osName) = ("user-2", "4711", "android")
        return [phone, other]
    }

    /// Reports each notification as received twice, and as clicked.
    private static func report(_ testbed: Testbed, _ client: CurlClient) async throws {
        // The gateways write their logs asynchronously.
        let requests = try await Waiting.until("both notifications to arrive") {
            let all = try testbed.gatewayRequests()
            return all.count == 2 ? all : nil
        }
        for request in requests {
            for tag in [1, 1, 2] {
                let report = try DeviceForm.report(
                    about: request.body, isAndroid: request.interface != .apns, tag: tag)
                #expect(try await client.ask(report) == "200 ")
            }
        }
        #expect(try await client.ask("/r/?id=h1,1,1") == "200 ")
    }
}

/// Runs curl, which trusts only the testbed's authority.
struct CurlClient {
    private let testbed: Testbed
    private let address: String
    private let options: [String]

    init(_ testbed: Testbed, port: Int, isSecure: Bool) {
        self.testbed = testbed
        address = "\(isSecure ? "https" : "http")://localhost:\(port)"
        options = [
            "--silent", "--show-error", "--noproxy", "*", "--max-time", "100", "--write-out",
            "\n%{http_code}",
            "--cacert", testbed.folder.file("authority.pem"), "--resolve", "localhost:\(port):127.0.0.1",
        ]
    }

    /// - Returns: `200 ` and the body.
    func ask(
        _ path: String, form: String? = nil, json: String? = nil, token: String? = nil
    ) async throws -> String {
        var arguments = options
        if let form { arguments += ["--data-raw", form] }
        if let json { arguments += ["--json", json] }
        if let token { arguments += ["--header", "Authorization: Bearer \(token)"] }
        let curl = try testbed.start("/usr/bin/curl", arguments + [address + path])
        let ending = try await curl.end()
        try #require(ending.status == 0, "\(Folder.text(curl.complaints))")
        let said = Folder.text(curl.output)
        let end = try #require(said.lastIndex(of: "\n"))
        return "\(said[said.index(after: end)...]) \(said[..<end])"
    }
}

/// nginx in front of the service, with its own TLS.
private struct ReverseProxy {
    let process: RunningProcess
    let port: Int
    static let program = "/usr/sbin/nginx"

    init(_ testbed: Testbed) async throws {
        // No other process uses this port in this scenario.
        port = testbed.ports.feedback
        let folder = testbed.folder.path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder)/nginx-\($0);"
        }
        try testbed.folder.write(
            """
            daemon off; master_process off; pid \(folder)/nginx.pid; error_log stderr;
            events {}
            http {
              access_log off; \(temporary.joined(separator: " "))
              upstream push { server 127.0.0.1:\(testbed.ports.web); keepalive 4; }
              server {
                listen 127.0.0.1:\(port) ssl;
                ssl_certificate \(folder)/web.pem; ssl_certificate_key \(folder)/web.key;
                location / {
                  proxy_pass http://push; proxy_http_version 1.1; proxy_set_header Connection "";
                  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                }
              }
            }
            """, to: "nginx.conf")
        let process = try testbed.start(
            Self.program, ["-e", "stderr", "-p", folder, "-c", "\(folder)/nginx.conf"])
        self.process = process
        try await Waiting.until("the proxy to run") {
            try process.requireRunning()
            return Folder.text("\(folder)/nginx.pid").isEmpty ? nil : ()
        }
    }
}
