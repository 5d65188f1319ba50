import Foundation
import PushAPI
import PushConsole
import PushModel
import PushStore
import TestSupport
import Testing

/// A console with service `shop`, its app `shop-ios`, which sends nothing, and a person who uses the console.
struct AudienceFixture {
    /// A name with markup, a reversed writing direction and 10 000 characters.
    static let hostile =
        "<script>alert('x')</script>\"><img src=x onerror=alert(1)>\u{202E}"
        + String(repeating: "n", count: 10_000)

    let console: ConsoleFixture
    let browser: Browser
    var operations: Operations { console.operations }
    var store: Store { console.operations.store }

    init(_ role: Role = .operator, services: [String] = [], parameters: String = "[]") throws {
        console = try ConsoleFixture()
        for name in ["shop", "other"] {
            var service = CreateService()
            service.name = name
            _ = try console.operations.carryOut(service)
        }
        for (app, service) in [("shop-ios", "shop"), ("other-ios", "other")] {
            let json = """
                {"name": "\(app)", "service": "\(service)", "platform": "ios", "integrationKey": "\(app)",
                "connector": "stub", "parameters": \(parameters)}
                """
            _ = try console.operations.carryOut(
                CreateApp.request(names: [:], query: [:], body: Array(json.utf8)))
        }
        if services.isEmpty {
            browser = try console.browser(of: "mara", role)
        } else {
            var create = CreatePerson()
            (create.name, create.fields) = ("mara", RoleFields(role: role, services: services))
            let link = try console.operations.carryOut(create)
            let key = try #require(link.link.split(separator: "=").last).description
            _ = try console.operations.carryOut(
                SetPassword(linkKey: key, password: ConsoleFixture.password))
            browser = Browser(console)
            #expect(try browser.signIn("mara").status == 303)
        }
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// Adds a device.
    func add(_ userKey: String, _ number: Int, app: String = "shop-ios", parameters: String? = nil) throws {
        let id = try #require(try store.catalogue.app(named: app)).id
        let record = SubscriberRecord(
            token: Self.token(number), userKey: userKey, parametersJSON: parameters)
        _ = try store.subscriberImporter.upsert([record], into: id, at: ConsoleFixture.start)
    }

    func state(of userKey: String) throws -> [String] {
        try operations.carryOut(ShowSubscribers(.userKey(userKey))).items.map(\.state)
    }

    /// Waits until a job has ended. Does not occupy a thread meanwhile, because an import runs as a task.
    func end(ofJob id: Int64) async throws -> JobView {
        try await eventually("job \(id) has ended") {
            try operations.carryOut(ShowJob(id)).endedAt != nil
        }
        return try operations.carryOut(ShowJob(id))
    }

    /// Submits a form with a file, as a browser does.
    func upload(
        _ address: String, _ fields: [String: String], file: (field: String, name: String, text: String)?
    ) throws -> ConsoleAnswer {
        try browser.post(address, fields) { request in
            var body = ""
            for field in request.form.fields {
                body += "--b\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n"
                body += "\(field.value)\r\n"
            }
            if let file {
                body += "--b\r\nContent-Disposition: form-data; name=\"\(file.field)\"; "
                body += "filename=\"\(file.name)\"\r\nContent-Type: text/csv\r\n\r\n\(file.text)\r\n"
            }
            let isRead = request.read(
                body: Array("\(body)--b--\r\n".utf8), type: "multipart/form-data; boundary=b")
            #expect(isRead)
        }
    }
}
