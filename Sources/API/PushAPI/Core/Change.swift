internal import PushModel
internal import PushStore

/// A change that consists of one unit. It is prepared on a thread that may wait, written together with other
/// changes, and answered after the commit. No thread waits for the commit.
package protocol Change: ChangingOperation, DeferredOperation {
    override associatedtype Answer

    /// Reads and checks the data that the change depends on. May wait for the store.
    func prepare(in operations: Operations) throws -> Step<Answer>
}

/// The write of a prepared ``Change``.
package struct Step<Answer: Sendable>: Sendable {
    /// Runs on the writer's thread, possibly twice, and accesses only the store. If it throws, it must not
    /// have written anything.
    let write: @Sendable (Store) throws -> Answer
    /// Runs after the commit and must not wait.
    let effects: @Sendable (Answer) -> Void

    init(
        effects: @escaping @Sendable (Answer) -> Void = { _ in },
        _ write: @escaping @Sendable (Store) throws -> Answer
    ) {
        (self.write, self.effects) = (write, effects)
    }

    /// Runs the write, waits for the commit, and then runs the effects.
    func perform(in operations: Operations) throws -> Answer {
        let answer = try write(operations.store)
        effects(answer)
        return answer
    }

    /// Prepares a step, performs it, and waits for the commit. If the data that was checked is changed before
    /// the unit runs, a new step is prepared.
    /// - Parameter maxAttempts: The maximum number of attempts. A further attempt is made only if another
    ///   change to the same object was committed in the meantime.
    @_semantics("optimize.sil.specialize.generic.never")
    static func performed(
        maxAttempts: Int, in operations: Operations, _ prepared: () throws -> Self
    ) throws -> Answer {
        for _ in 1..<maxAttempts {
            do { return try prepared().perform(in: operations) } catch let error as StoreError {
                guard case .changedMeanwhile = error.cause else { throw error }
            }
        }
        return try prepared().perform(in: operations)
    }
}

extension Change {
    @_semantics("optimize.sil.specialize.generic.never")
    package func perform(in operations: Operations) throws -> Answer { try commit(in: operations) }

    @_semantics("optimize.sil.specialize.generic.never")
    func commit(in operations: Operations) throws -> Answer {
        try Step.performed(maxAttempts: 20, in: operations) { try prepare(in: operations) }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    package func begin(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void
    ) {
        commit(in: operations, then: then)
    }

    @_semantics("optimize.sil.specialize.generic.never")
    func commit(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void
    ) {
        let here: @Sendable () throws(OperationError) -> Answer = { () throws(OperationError) in
            try operations.carryOut(self)
        }
        // A process without its own writer sends the change to the process that has the writer, or waits for
        // its own commit.
        guard operations.store.hasWriteService else { return then(Result(catching: here)) }
        let step: Step<Answer>
        do { step = try prepare(in: operations) } catch { return then(.failure(OperationError(error))) }
        let now = operations.clock.moment()
        operations.store.submit(Self.name) { store throws(StoreError) -> Result<Answer, OperationError> in
            let store = store.bound(to: operations.bounds)
            // A unit may run twice. The audit trail contains only the line that the committed run writes.
            let noted = operations.note(of: self, at: now).map(store.noting) ?? store
            do { return .success(try step.write(noted)) } catch let error
                as StoreError
            {
                throw error
            } catch {
                return .failure(OperationError(error))
            }
        } completion: { result in
            switch result {
            case .success(.success(let answer)):
                step.effects(answer)
                then(.success(answer))
            case .success(.failure(let error)): then(.failure(error))
            case .failure(let error):
                // The checked data was changed before the unit ran, so it is checked again.
                if case .changedMeanwhile = error.cause { return operations.waits.runInTurn(then, here) }
                then(.failure(OperationError(error)))
            }
        }
    }
}
