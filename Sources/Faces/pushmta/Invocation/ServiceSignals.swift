internal import Glibc
internal import PushMaster

/// The signals that a running service obeys. A dedicated thread receives them, so that neither a busy loop
/// nor the start of a thread delays an operator's order to end.
enum ServiceSignals {
    enum Order {
        /// SIGTERM, SIGINT.
        case end
        /// SIGHUP.
        case hangUp
    }

    /// Keeps a SIGHUP that arrives before ``watch(_:)`` pending, instead of letting it end the process. The
    /// sender wants the service to read its configuration again, and cannot know how far the start has
    /// progressed.
    static func keepHangUps() {
        var hangUp = hangUps
        unsafe _ = pthread_sigmask(SIG_BLOCK, &hangUp, nil)
    }

    /// Sets the signal mask with which a program that replaces this process must start, so that a SIGHUP
    /// during its start does not end it.
    static func keepOnlyHangUps() {
        var hangUp = hangUps
        unsafe _ = pthread_sigmask(SIG_SETMASK, &hangUp, nil)
    }

    private static var hangUps: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGHUP)
        return signals
    }

    /// Starts the thread that receives the signals. Must be called before any thread is created, except
    /// ``PushMaster/DedicatedThread``s, to which no signal is delivered.
    static func watch(_ obey: @escaping @Sendable (Order) -> Void) throws(MasterError) {
        signal(SIGUSR1, SIG_IGN)
        var wanted = sigset_t()
        unsafe sigemptyset(&wanted)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&wanted, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &wanted, nil)
        _ = try DedicatedThread(named: "signals") { [wanted] in
            var wanted = wanted
            var number: Int32 = 0
            while true {
                guard unsafe sigwait(&wanted, &number) == 0 else { continue }
                obey(number == SIGHUP ? .hangUp : .end)
            }
        }
    }
}
