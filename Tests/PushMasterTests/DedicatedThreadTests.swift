import Foundation
import Glibc
import PushMaster
import PushModel
import PushSystem
import Synchronization
import Testing

@Suite struct DedicatedThreadTests {
    @Test func `a thread does its work once, under its name, and other threads can wait for it`() throws {
        let seen = Mutex<[String]>([])
        let thread = try DedicatedThread(named: "a name too long for the kernel") {
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            seen.withLock { $0.append(name ?? "") }
        }
        thread.join()
        thread.join()
        #expect(thread.join(until: Clocks.monotonic()))
        #expect(seen.withLock { $0 } == ["a name too long\n"])
    }

    @Test func `if a thread cannot be started, an error is thrown, and its work is not done`() async {
        // Runs in a separate process, which has no address space left for another stack.
        await #expect(processExitsWith: .success) {
            let isDone = Mutex(false)
            var limit = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            var narrow = limit
            narrow.rlim_cur = 1 << 20
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &narrow)
            let error: MasterError?
            do throws(MasterError) {
                _ = try DedicatedThread(named: "huge") { isDone.withLock { $0 = true } }
                error = nil
            } catch let failure {
                error = failure
            }
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            guard case .noThread(let name, let number)? = error else { throw try #require(error) }
            #expect(name == "huge" && [EAGAIN, ENOMEM].contains(number))
            #expect(error?.description.contains("cannot start the thread 'huge'") == true)
            #expect(!isDone.withLock { $0 })
        }
    }

    @Test func `waiting for a thread ends at the deadline`() throws {
        let permit = DispatchSemaphore(value: 0)
        let thread = try DedicatedThread(named: "slow") { permit.wait() }
        #expect(!thread.join(until: Clocks.monotonic().advanced(byMilliseconds: 5)))
        permit.signal()
        thread.join()
    }

    @Test func `no signal is delivered to the thread`() throws {
        let isBlocked = Mutex(false)
        try DedicatedThread(named: "deaf") {
            var mask = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
            isBlocked.withLock {
                $0 = unsafe sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGSEGV) == 0
            }
        }.join()
        #expect(isBlocked.withLock { $0 })
    }
}
