import Foundation
import PushModel
import PushStore
import Testing

extension TemporaryStore {
    /// Returns a message to an app of the service "neotrips".
    func message(
        to recipient: NewMessage.Recipient, of app: App, alert text: String = "Hello", key: String? = nil,
        body: String = "", validity: Int64? = nil, priority: DeliveryPriority = .normal
    ) throws -> NewMessage {
        let service = try #require(try store.catalogue.service(app.service))
        var message = NewMessage(
            service: service, apps: [NewMessage.Addressee(app)], recipient: recipient,
            content: MessageContent(json: Array(#"{"title":"\#(text)"}"#.utf8)))
        message.idempotency = key.map { IdempotencyKey(scope: "test", key: $0, body: Array(body.utf8)) }
        message.validitySeconds = validity ?? message.validitySeconds
        message.priority = priority
        return message
    }

    /// Accepts messages through this process only. Each message must be accepted.
    func accept(_ messages: [NewMessage], at now: WallMoment = noon) throws -> [AcceptedMessage] {
        try store.accept(messages, at: now).map { try $0.get() }
    }

    /// Returns all parts that are to be sent.
    func openParts() throws -> [Part] { try store.work.openParts(limit: 5_000).parts }

    /// Runs a write service with an intake during the test.
    func withIntake(
        engine: (any WriteEngine)? = nil, maxWaiting: Int = MessageIntake.maxWaiting,
        told: @escaping @Sendable ([AcceptedPart]) -> Void = { _ in },
        events: @escaping @Sendable (WriteService.Event) -> Void = { _ in },
        _ story: (MessageIntake, WriteService) throws -> Void
    ) throws {
        let service = WriteService(
            store: store, engine: engine, judge: { _ in .wait },
            clock: WriteClock(wall: { TemporaryStore.noon }), events: events)
        let intake = MessageIntake(service: service, clock: { TemporaryStore.noon }, maxWaiting: maxWaiting) {
            parts, _ in told(parts)
        }
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread { service.run() }
        Thread.detachNewThread {
            service.callBack()
            ended.signal()
        }
        defer {
            service.end()
            #expect(ended.wait(timeout: .now() + 60) == .success)
        }
        try story(intake, service)
    }
}

extension Part {
    /// The number of messages in the part.
    var size: Int { Int(messages.upperBound.rawValue - messages.lowerBound.rawValue) + 1 }
}
