extension Store {
    /// Whether a service of this process writes for others than itself.
    package var hasWriteService: Bool { relay?.current != nil }

    /// Has a unit written together with others, without waiting for its commit.
    /// - Parameters:
    ///   - what: completes "failed to" in an error.
    ///   - unit: writes through the store that it is given, and may run twice.
    ///   - completion: called once, on a thread that it must not hold up.
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
            // It did not come to it, nor will.
            case .failure(.ended): here(service.store)
            // It may have come to it: a second one could be one too many.
            case .failure(.unknown): completion(.failure(StoreError(.endUnknown(what: what), path: path)))
            }
        }
    }
}
