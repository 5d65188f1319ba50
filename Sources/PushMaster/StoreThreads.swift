internal import PushModel

/// The master's two threads on the store: both run, or neither does.
struct StoreThreads {
    let readerMail: Mailbox<StoreReader.Job>
    let writerMail: Mailbox<StoreWriter.Job>
    private let reader: DedicatedThread
    private let writer: DedicatedThread

    /// - Parameters: make the two on their own threads, from their mailboxes.
    init(
        reader makeReader: @escaping @Sendable (Mailbox<StoreReader.Job>) -> StoreReader,
        writer makeWriter: @escaping @Sendable (Mailbox<StoreWriter.Job>) -> StoreWriter
    ) throws(MasterError) {
        let (readerMail, writerMail) = (try Mailbox<StoreReader.Job>(), try Mailbox<StoreWriter.Job>())
        let reader = try DedicatedThread(named: "store reader") {
            var reader = makeReader(readerMail)
            reader.run()
        }
        do {
            writer = try DedicatedThread(named: "store writer") {
                var writer = makeWriter(writerMail)
                writer.run()
            }
        } catch {
            readerMail.send(.stop)
            reader.join()
            throw error
        }
        (self.readerMail, self.writerMail, self.reader) = (readerMail, writerMail, reader)
    }

    /// Ends both when what is queued is done, as the writer's last try allows.
    /// - Returns: false where one still waits for the store at the deadline: it must not be waited for.
    func stop(by deadline: MonotonicTime) -> Bool {
        readerMail.send(.stop)
        writerMail.send(.stop)
        let writerEnded = writer.join(until: deadline)
        return reader.join(until: deadline) && writerEnded
    }
}
