internal import PushModel

/// Reports and registrations from devices. Each one is a unit, and the units of a group are written together.
extension WriteService {
    /// Records a report from a device.
    package func record(
        _ hit: HitRecord, completion: @escaping @Sendable (Result<HitEnd, Failure>) -> Void
    ) {
        send(
            .job(
                WriteJob(
                    hit: hit, told: { completion(.success($0)) }, fail: { completion(.failure($0)) })))
    }

    /// Records a report for a task, which must not block its thread.
    nonisolated(nonsending) package func record(_ hit: HitRecord) async throws(Failure) -> HitEnd {
        typealias Continuation = CheckedContinuation<Result<HitEnd, Failure>, Never>
        let result = await withCheckedContinuation { (continuation: Continuation) in
            record(hit) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Registers a device.
    package func register(
        _ registration: RegistrationRecord,
        completion: @escaping @Sendable (Result<RegistrationEnd, Failure>) -> Void
    ) {
        send(
            .job(
                WriteJob(
                    registration: registration, told: { completion(.success($0)) },
                    fail: { completion(.failure($0)) })))
    }

    /// Registers a device for a task, which must not block its thread.
    nonisolated(nonsending) package func register(
        _ registration: RegistrationRecord
    ) async throws(Failure) -> RegistrationEnd {
        typealias Continuation = CheckedContinuation<Result<RegistrationEnd, Failure>, Never>
        let result = await withCheckedContinuation { (continuation: Continuation) in
            register(registration) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}
