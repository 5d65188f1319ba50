extension Store {
    /// Whether a service of this process writes for other callers.
    package var hasWriteService: Bool { relay?.current != nil }

    /// Submits a unit to be written together with other units, without waiting for its commit.
    /// - Parameters:
    ///   - what: Completes the phrase "failed to" in an error.
    ///   - unit: Writes through the store that it receives. It may run twice.
    ///   - completion: Called once, on a thread that it must not block.
    package func submit<Value: Sendable>(
        _ what: String, _ unit: @escaping @Sendable (Store) throws(StoreError) -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        @Sendable func here(_ store: Store) {
            completion(Result { () throws(StoreError) in try unit(store) })
        }
        guard let service = relay?.current else { return here(self) }
        service.submit(.control, rows: WriteRelay.rows, unit) { [path] result in
            switch result {
            case .success(let value): completion(.success(value))
            case .failure(.refused(let error)), .failure(.setAside(let error)): completion(.failure(error))
            case .failure(.full): completion(.failure(StoreError(.busy, path: path)))
            // The unit did not run and will not.
            case .failure(.ended): here(service.store)
            // The unit may have been committed; running it again might apply it twice.
            case .failure(.unknown): completion(.failure(StoreError(.endUnknown(what: what), path: path)))
            }
        }
    }
}
