internal import PushModel
internal import PushStore

/// A change of one unit: it is prepared on a thread that may wait, written together with others, and answered after the
/// commit, for which no thread waits.
package protocol Change: ChangingOperation, DeferredOperation {
    override associatedtype Answer

    /// Reads and checks, and may wait for the store.
    func prepare(in operations: Operations) throws -> Step<Answer>
}

/// What a ``Change`` writes once it is prepared.
package struct Step<Answer: Sendable>: Sendable {
    /// Runs on the writer's thread, perhaps twice, and touches the store only. It must have written nothing if it throws.
    let write: @Sendable (Store) throws -> Answer
    /// Runs after the commit, and must not wait.
    let effects: @Sendable (Answer) -> Void

    init(
        effects: @escaping @Sendable (Answer) -> Void = { _ in },
        _ write: @escaping @Sendable (Store) throws -> Answer
    ) {
        (self.write, self.effects) = (write, effects)
    }

    /// Waits for the commit.
    func perform(in operations: Operations) throws -> Answer {
        let answer = try write(operations.store)
        effects(answer)
        return answer
    }

    /// Waits for the commit. If what was checked was changed before the unit ran, it is checked again.
    /// - Parameter mostAttempts: each fails only if another change of the same thing was committed meanwhile.
    static func performed(
        mostAttempts: Int, in operations: Operations, _ prepared: () throws -> Self
    ) throws -> Answer {
        for _ in 1..<mostAttempts {
            do { return try prepared().perform(in: operations) } catch let error as StoreError {
                guard case .changedMeanwhile = error.cause else { throw error }
            }
        }
        return try prepared().perform(in: operations)
    }
}

extension Change {
    package func perform(in operations: Operations) throws -> Answer { try commit(in: operations) }

    func commit(in operations: Operations) throws -> Answer {
        try Step.performed(mostAttempts: 20, in: operations) { try prepare(in: operations) }
    }

    package func begin(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void
    ) {
        commit(in: operations, then: then)
    }

    func commit(
        in operations: Operations, then: @escaping @Sendable (Result<Answer, OperationError>) -> Void
    ) {
        let here: @Sendable () throws(OperationError) -> Answer = { () throws(OperationError) in
            try operations.carryOut(self)
        }
        // Without a writer of its own, this process asks the one that has it, or waits for its own commit.
        guard operations.store.hasWriteService else { return then(Result(catching: here)) }
        let step: Step<Answer>
        do { step = try prepare(in: operations) } catch { return then(.failure(OperationError(error))) }
        let now = operations.clock.moment()
        operations.store.submit(Self.name) { store throws(StoreError) -> Result<Answer, OperationError> in
            // A unit may run twice, and its line is written by the one that is committed.
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
                // What was checked was changed before the unit ran: it is checked again.
                if case .changedMeanwhile = error.cause { return operations.waits.runInTurn(then, here) }
                then(.failure(OperationError(error)))
            }
        }
    }
}
