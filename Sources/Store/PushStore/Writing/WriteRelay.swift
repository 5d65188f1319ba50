internal import PushModel
internal import Synchronization

/// Leads what is written through a store's doors to the ``WriteService`` that serves it, so that it shares
/// commits with everything else that is written; while none does, the doors write by themselves.
///
/// See ``Store/writing(through:)``. What is given to doors of such a store may run twice, as every unit may.
package final class WriteRelay: Sendable {
    private let service = Mutex<WriteService?>(nil)
    private let intake = Mutex<MessageIntake?>(nil)

    package init() {}

    /// From now on; nil: nobody writes for others any more.
    /// - Parameter intake: of the same service: single messages go through it.
    package func forward(to service: WriteService?, messages intake: MessageIntake? = nil) {
        self.service.withLock { $0 = service }
        self.intake.withLock { $0 = intake }
    }

    /// nil: nobody takes messages together.
    var messages: MessageIntake? { intake.withLock(\.self) }

    /// The service that serves it now.
    package var current: WriteService? { service.withLock(\.self) }

    /// Rows that an operation may change besides what it says: submissions and changes of apps are small, and
    /// what is not comes in pages of this.
    static let rows = 50

    /// As ``Connection/write(_:of:_:)`` of this connection.
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
        // It did not come to it, nor will.
        case .ended: return try connection.write(what, of: delivery, body)
        // It may have come to it: a second one could be one too many.
        case .unknown: throw StoreError(.endUnknown(what: what), path: connection.path)
        }
    }

    /// **The fence:** the body is lent to the writer's thread, and its value brought back, past the
    /// compiler's rules for what may cross threads. This call returns when the unit has come to its end, so
    /// at no time do two threads use either.
    private static func perform<Value>(
        _ service: WriteService, _ connection: Connection, _ what: String, _ delivery: DeliveryID?,
        _ body: (any Session) throws -> Value
    ) throws(WriteService.Failure) -> Value {
        try withoutActuallyEscaping(body) { body -> Result<Lent<Value>, WriteService.Failure> in
            let loan = Loan(body)
            // The unit itself may be kept for a moment longer.
            defer { loan.body = nil }
            do throws(WriteService.Failure) {
                return .success(
                    try service.perform(.control, rows: rows) { _ throws(StoreError) in
                        Lent(
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

    private final class Loan<Value>: @unchecked Sendable {
        var body: ((any Session) throws -> Value)?
        init(_ body: @escaping (any Session) throws -> Value) { self.body = body }
    }

    private struct Lent<Value>: @unchecked Sendable {
        let value: Value
    }
}
