internal import Glibc
internal import PushAPI
internal import Synchronization

/// An interruption, such as Ctrl-C, after which the command can still print a final message. Once the value
/// is created, its signals are recorded and no longer end the process.
struct Interruption {
    init(_ signals: Int32...) {
        // A signal handler must not do more than a lock-free store such as this one.
        for number in signals { signal(number) { interruption.store(Int($0), ordering: .relaxed) } }
    }

    /// Performs a long operation that can be interrupted between two steps. If a signal interrupts it, the
    /// final message is printed, and the process ends as if the signal had no handler. If a file reaches the
    /// maximum file size, this is treated and reported like a full disk.
    static func observed<Answer>(
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

    /// Ends the process as the signal would have done, so that shells notice that a signal ended it.
    func obey() -> Never {
        let number = Int32(interruption.load(ordering: .relaxed))
        signal(number, SIG_DFL)
        // A signal must be unblocked to end the process, because the runtime's threads block signals that are
        // sent to the process.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        exit(CommandExit.failed.rawValue)
    }
}

/// The last signal received; 0 if there was none.
private let interruption = Atomic<Int>(0)
