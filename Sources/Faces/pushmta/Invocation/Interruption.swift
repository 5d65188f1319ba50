internal import Glibc
internal import PushAPI
internal import Synchronization

/// Ctrl-C that lets us say a last word: from its making on, these signals are noted instead of obeyed.
struct Interruption {
    init(_ signals: Int32...) {
        // Only one lock-free store happens in the handler, which is all that a handler may do.
        for number in signals { signal(number) { interruption.store(Int($0), ordering: .relaxed) } }
    }

    /// Does what takes long and can be ended between two steps. Where a signal ended it the last word is said,
    /// and the process ends as the signal would have ended it. A file that may not grow is a disk that is full,
    /// and told as one.
    static func heard<Answer>(
        _ body: (_ isInterrupted: @escaping () -> Bool) throws -> Answer, lastWord: () -> String
    ) throws -> Answer {
        signal(SIGXFSZ, SIG_IGN)
        let interruption = Interruption(SIGINT, SIGTERM)
        do { return try body { interruption.isPending } } catch let error as OperationError
            where error.kind == .cancelled
        {
            StandardError.line(lastWord())
            interruption.obey()
        }
    }

    var isPending: Bool { interruption.load(ordering: .relaxed) != 0 }

    /// Ends the process as the signal would have, so that shells see it.
    func obey() -> Never {
        let number = Int32(interruption.load(ordering: .relaxed))
        signal(number, SIG_DFL)
        // Threads of the runtime block what concerns the process.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        exit(Ending.failed.rawValue)
    }
}

/// The signal that came last; 0: none.
private let interruption = Atomic<Int>(0)
