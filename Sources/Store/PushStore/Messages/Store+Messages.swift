package import PushModel

extension Store {
    /// Where single messages of this process are accepted together; nil: whoever has some accepts them by
    /// ``accept(_:at:)``, and tells the master that there is work.
    package var messageIntake: MessageIntake? { relay?.messages }

    /// Accepts single messages by this process alone.
    package func accept(_ messages: [NewMessage], at now: WallMoment) -> [MessageResult] {
        var results: [MessageResult] = []
        var memory = MessageMemory()
        while results.count < messages.count {
            let next = Array(messages[results.count...].prefix(MessageWriter.mostAtOnce))
            do throws(StoreError) {
                let batch = try self.messages.accept(next, knowing: memory, at: now)
                memory.learn(batch.learned)
                // What was not looked at comes at the end.
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
