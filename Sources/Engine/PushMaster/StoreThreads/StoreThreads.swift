internal import PushModel

/// The master's threads on the store: all run, or none does.
struct StoreThreads {
    let readerMail: Mailbox<StoreReader.Job>
    let writer: WriterInbox
    private let threads: [DedicatedThread]

    /// - Parameters: make what runs on two of the threads, there; the others are the write service's.
    init(
        writer: WriterInbox, reader makeReader: @escaping @Sendable (Mailbox<StoreReader.Job>) -> StoreReader,
        writing makeWriter: @escaping @Sendable (WriterInbox) -> StoreWriter
    ) throws(MasterError) {
        let readerMail = try Mailbox<StoreReader.Job>()
        var threads: [DedicatedThread] = []
        do {
            // Each before those that wait for it: the order to end comes through the first.
            threads.append(try DedicatedThread(named: "write service") { writer.write() })
            threads.append(try DedicatedThread(named: "store answers") { writer.callBack() })
            threads.append(
                try DedicatedThread(named: "store reader") {
                    var reader = makeReader(readerMail)
                    reader.run()
                })
            threads.append(
                try DedicatedThread(named: "store writer") {
                    var writing = makeWriter(writer)
                    writing.run()
                })
        } catch {
            readerMail.send(.stop)
            writer.end()
            for thread in threads { thread.join() }
            throw error
        }
        (self.readerMail, self.writer, self.threads) = (readerMail, writer, threads)
    }

    /// Ends them when what is queued is done, as the writer's last try allows.
    /// - Returns: false where one still waits for the store at the deadline: it must not be waited for.
    func stop(by deadline: MonotonicTime) -> Bool {
        readerMail.send(.stop)
        writer.send(.stop)
        return threads.reduce(true) { $1.join(until: deadline) && $0 }
    }
}
