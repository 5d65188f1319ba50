internal import PushModel
internal import Synchronization

/// Forwards writes through a store's writers to the ``WriteService`` that serves the store, so that they
/// share commits with everything else. Without a service, the writers write directly.
///
/// See ``Store/writing(through:)``. Like every unit of a write service, a body that is passed to a writer of
/// such a store may run twice.
package final class WriteRelay: Sendable {
    private let service = Mutex<WriteService?>(nil)
    private let intake = Mutex<MessageIntake?>(nil)

    package init() {}

    /// Sets the service that receives all writes from now on; `nil` if no service writes for other callers
    /// any more.
    /// - Parameter intake: The intake of the same service, through which single messages are submitted.
    package func forward(to service: WriteService?, messages intake: MessageIntake? = nil) {
        self.service.withLock { $0 = service }
        self.intake.withLock { $0 = intake }
    }

    /// The intake; `nil` if no service collects messages.
    var messages: MessageIntake? { intake.withLock(\.self) }

    /// The service that currently serves the store.
    package var current: WriteService? { service.withLock(\.self) }

    /// The number of rows that an operation may change in addition to those that it states. Submissions and
    /// changes of apps are small, and larger operations come in pages of this size.
    static let rows = 50

    /// Works like ``Connection/write(_:of:_:)`` of this connection.
    @_semantics("optimize.sil.specialize.generic.never")
    func write<Value>(
        to connection: Connection, _ what: String, of delivery: DeliveryID?,
        _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        guard let service = service.withLock(\.self) else {
            return try connection.write(what, of: delivery, body)
        }
        let failure: WriteService.Failure
        do throws(WriteService.Failure) {
            return try Self.perform(service, connection, what, delivery, body)
        } catch {
            failure = error
        }
        switch failure {
        case .refused(let error), .setAside(let error): throw error
        case .full: throw StoreError(.busy, path: connection.path)
        // The unit did not run and will not.
        case .ended: return try connection.write(what, of: delivery, body)
        // The unit may have been committed; running it again might apply it twice.
        case .unknown: throw StoreError(.endUnknown(what: what), path: connection.path)
        }
    }

    /// **The fence:** The body is lent to the writer's thread, and its value is returned, in a way that
    /// bypasses the compiler's rules for values that cross threads. This call returns when the unit has
    /// ended, so two threads never use either at the same time.
    @_semantics("optimize.sil.specialize.generic.never")
    private static func perform<Value>(
        _ service: WriteService, _ connection: Connection, _ what: String, _ delivery: DeliveryID?,
        _ body: (any Session) throws -> Value
    ) throws(WriteService.Failure) -> Value {
        try withoutActuallyEscaping(body) { body -> Result<UncheckedSendable<Value>, WriteService.Failure> in
            let loan = BorrowedBody(body)
            // The unit itself may exist for a moment longer.
            defer { loan.body = nil }
            do throws(WriteService.Failure) {
                return .success(
                    try service.perform(.control, rows: rows) { _ throws(StoreError) in
                        UncheckedSendable(
                            value: try connection.write(what, of: delivery) { db in
                                guard let body = loan.body else { throw UnreadableValue() }
                                return try body(db)
                            })
                    })
            } catch {
                return .failure(error)
            }
        }.get().value
    }

    private final class BorrowedBody<Value>: @unchecked Sendable {
        var body: ((any Session) throws -> Value)?
        init(_ body: @escaping (any Session) throws -> Value) { self.body = body }
    }

    private struct UncheckedSendable<Value>: @unchecked Sendable {
        let value: Value
    }
}
