internal import PushModel

/// The master's threads that use the store. Either all of them run or none.
struct StoreThreads {
    let readerMail: Mailbox<StoreReader.Job>
    let writer: WriterInbox
    private let threads: [DedicatedThread]

    /// - Parameters: Create the objects that run on two of the threads, on these threads. The other threads
    ///   belong to the write service.
    init(
        writer: WriterInbox, reader makeReader: @escaping @Sendable (Mailbox<StoreReader.Job>) -> StoreReader,
        writing makeWriter: @escaping @Sendable (WriterInbox) -> StoreWriter
    ) throws(MasterError) {
        let readerMail = try Mailbox<StoreReader.Job>()
        var threads: [DedicatedThread] = []
        do {
            // Each thread is started before those that wait for it: the order to end arrives through the
            // first.
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

    /// Ends the threads when the queued work is done, within the time of the writer's last try.
    /// - Returns: `false` if a thread still waits for the store at the deadline. The caller must not wait for
    ///   it.
    func stop(by deadline: MonotonicTime) -> Bool {
        readerMail.send(.stop)
        writer.send(.stop)
        return threads.reduce(true) { $1.join(until: deadline) && $0 }
    }
}
