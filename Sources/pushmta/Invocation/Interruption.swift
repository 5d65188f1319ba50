internal import Glibc
internal import Synchronization

/// Ctrl-C that lets us say a last word: from its making on, SIGINT is noted instead of obeyed.
struct Interruption {
    init() {
        // Only one lock-free store happens in the handler, which is all that a handler may do.
        signal(SIGINT) { _ in interruptions.store(1, ordering: .relaxed) }
    }

    var isPending: Bool { interruptions.load(ordering: .relaxed) != 0 }

    /// Ends the process as the signal would have, so that shells see it.
    func obey() -> Never {
        signal(SIGINT, SIG_DFL)
        raise(SIGINT)
        exit(Ending.failed.rawValue)
    }
}

private let interruptions = Atomic<Int>(0)
