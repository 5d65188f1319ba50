import PushAPI
import PushConsole
import PushModel
import PushStore
import Testing

/// A console with service `shop`, whose app `shop-ios` sends nothing, and a person who uses the console.
struct DeliveryFixture {
    /// A name with markup, a reversed writing direction and a length near the limit of labels.
    static let hostile = "<b onx=1>\"' " + String(repeating: "long ", count: 40) + "end"

    let console: ConsoleFixture
    let browser: Browser
    var operations: Operations { console.operations }
    var store: Store { console.operations.store }

    init(_ role: Role = .operator, subscribers: Int = 3) throws {
        console = try ConsoleFixture()
        var service = CreateService()
        service.name = "shop"
        _ = try console.operations.carryOut(service)
        let json = #"""
            {"name": "shop-ios", "service": "shop", "platform": "ios", "integrationKey": "a key",
            "connector": "stub"}
            """#
        _ = try console.operations.carryOut(
            CreateApp.request(names: [:], query: [:], body: Array(json.utf8)))
        let app = try #require(try console.operations.store.catalogue.app(named: "shop-ios"))
        if subscribers > 0 {
            let records = (1...subscribers).map {
                SubscriberRecord(token: Self.token($0), userKey: "user\($0)", parametersJSON: nil)
            }
            _ = try console.operations.store.subscriberImporter.upsert(
                records, into: app.id, at: ConsoleFixture.start)
        }
        browser = try console.browser(of: "mara", role)
    }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    func submit(_ label: String = "Spring sale", title: String = "20% off") throws -> DeliveryID {
        func quoted(_ text: String) -> String {
            "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        let json = """
            {"label": \(quoted(label)), "service": "shop", "target": {"all": true}, "allowEmpty": true,
            "content": {"title": \(quoted(title)), "body": "Until Sunday",
            "ios": {"collapseId": "sale"}}}
            """
        return try operations.carryOut(
            SubmitDelivery(document: Array(json.utf8), documentName: "")
        ).id
    }

    /// Prepares a delivery, and records an outcome for each message.
    func end(_ id: DeliveryID, _ outcome: (MessageID) -> MessageRecord.Change?) throws {
        while true {
            let step = try store.preparation.prepareChunk(of: id, at: ConsoleFixture.start)
            if let part = step.part {
                var batch = OutcomeBatch(delivery: id)
                for number in part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue {
                    let message = MessageID(rawValue: number)
                    if let change = outcome(message) {
                        batch.others.append(
                            MessageRecord(message: message, change: change, countsAttempt: true))
                    } else {
                        batch.accepted.append(message)
                    }
                }
                _ = try store.outcomes.record([batch], at: ConsoleFixture.start)
            }
            if step.isComplete { return }
        }
    }

    func accept(_ id: DeliveryID) throws { try end(id) { _ in nil } }
    func refuse(_ id: DeliveryID, _ reason: String) throws {
        try end(id) { _ in .failed(.soft, .refused, providerReason: reason) }
    }

    /// Records that the device of a delivery's first message reported a click.
    func click(_ id: DeliveryID) throws {
        let entry = try #require(try store.deliveries.log(of: id).first)
        let hits = [HitKind.received, .clicked].map { kind in
            HitRecord(
                delivery: id, message: entry.message, number: entry.ordinal, app: entry.app, kind: kind,
                at: ConsoleFixture.start)
        }
        _ = try store.hits.record(hits)
    }

    func state(of id: DeliveryID) throws -> DeliveryState {
        try operations.carryOut(ShowDelivery(id: id)).delivery.state
    }

    /// The value of the hidden field with the form's key.
    static func key(in page: String) throws -> String {
        String(try #require(page.firstMatch(of: /name="_key" value="([0-9a-f]{32})"/)).output.1)
    }
}
