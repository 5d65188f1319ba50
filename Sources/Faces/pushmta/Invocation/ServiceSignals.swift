internal import Glibc
internal import PushMaster

/// The signals that a running service obeys, taken by a thread that does nothing else: no loop that is busy,
/// and no thread that would have to be started first, stands between an operator and the end.
enum ServiceSignals {
    enum Order {
        /// SIGTERM, SIGINT.
        case end
        /// SIGHUP.
        case hangUp
    }

    /// A SIGHUP that comes before ``watch(_:)`` waits for it, instead of ending the process: whoever asks for the
    /// file to be read anew cannot know how far a service is.
    static func keepHangUps() {
        var hangUp = hangUps
        unsafe _ = pthread_sigmask(SIG_BLOCK, &hangUp, nil)
    }

    /// What a program that this process becomes has to begin with, for the same reason.
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

    /// To be called before any thread is made but ``PushMaster/DedicatedThread``s, on which no signal is
    /// delivered.
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
