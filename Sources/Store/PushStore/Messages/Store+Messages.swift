package import PushModel

extension Store {
    /// The intake that accepts the single messages of all callers in this process together. If it is `nil`,
    /// each caller accepts its messages with ``accept(_:at:)`` and notifies the master of the work itself.
    package var messageIntake: MessageIntake? { relay?.messages }

    /// Accepts single messages without ``messageIntake``, and therefore not together with messages of other
    /// callers.
    package func accept(_ messages: [NewMessage], at now: WallMoment) -> [MessageResult] {
        var results: [MessageResult] = []
        var memory = MessageMemory()
        while results.count < messages.count {
            let next = Array(messages[results.count...].prefix(MessageWriter.maxAtOnce))
            do throws(StoreError) {
                let batch = try self.messages.accept(next, knowing: memory, at: now)
                memory.learn(batch.learned)
                // Messages that were not examined are at the end.
                results += batch.results.prefix { $0 != nil }.compactMap(\.self)
            } catch {
                if next.count == 1 || error.isOfStore {
                    results += next.map { _ in .failure(.failed(error)) }
                } else {
                    for message in next { results += accept([message], at: now) }
                }
            }
        }
        return results
    }
}
