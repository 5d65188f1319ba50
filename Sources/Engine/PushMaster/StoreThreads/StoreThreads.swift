internal import PushModel

/// The master's threads that use the store. Either all of these threads run, or none.
struct StoreThreads {
    let readerMail: Mailbox<StoreReader.Job>
    let writer: WriterInbox
    private let threads: [DedicatedThread]

    /// - Parameters: The functions that create the objects for two of the threads. Each function is called on
    ///   its thread. The other threads belong to the write service.
    init(
        writer: WriterInbox, reader makeReader: @escaping @Sendable (Mailbox<StoreReader.Job>) -> StoreReader,
        writing makeWriter: @escaping @Sendable (WriterInbox) -> StoreWriter
    ) throws(MasterError) {
        let readerMail = try Mailbox<StoreReader.Job>()
        var threads: [DedicatedThread] = []
        do {
            // Each thread is started before the threads that wait for it. The first thread must run, because
            // the thread for the answers ends only after the write service has ended.
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

    /// Ends the threads after the queued work is done, but no later than after the time for the writer's last
    /// attempt.
    /// - Returns: `false` if a thread still waits for the store at the deadline. The caller must not wait for
    ///   that thread.
    func stop(by deadline: MonotonicTime) -> Bool {
        readerMail.send(.stop)
        writer.send(.stop)
        return threads.reduce(true) { $1.join(until: deadline) && $0 }
    }
}
