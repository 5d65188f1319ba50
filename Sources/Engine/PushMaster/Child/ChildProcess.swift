internal import CPushShims
internal import Glibc

/// Start and end of one child process. Never decides: see PushSchedule's StaffingPolicy.
///
/// A child is the same program in the role `mtachild`, with its end of the link and its lock as its only
/// descriptors beside the standard ones.
package struct ChildProcess {
    package let processID: Int32
    /// The master's end of the link; close-on-exec, non-blocking.
    package let link: Int32

    /// What a child is started with.
    package struct Order: Sendable {
        /// The program, absolute.
        package var executable: String
        package var arguments: [String]
        /// What it is called in lists of processes and in errors.
        package var name: String

        /// - Parameter name: nil is its path.
        package init(executable: String, arguments: [String], name: String? = nil) {
            self.executable = executable
            self.arguments = arguments
            self.name = name ?? executable
        }
    }

    package static func spawn(_ order: Order, lock: InstanceLock) throws(MasterError) -> ChildProcess {
        var pair: [Int32] = [-1, -1]
        let error = unsafe push_socketpair(&pair)
        guard error == 0 else { throw .system(what: "create", path: "a socket pair", errorNumber: error) }
        defer { close(pair[1]) }
        let lockDescriptor: Int32
        do { lockDescriptor = try lock.sharedLockForChild() } catch {
            close(pair[0])
            throw error
        }
        defer { close(lockDescriptor) }

        var arguments = unsafe ([order.name] + order.arguments).map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var processID: pid_t = 0
        var spawnError: Int32 = 0
        OrphanReaper.whileSpawning {
            spawnError = unsafe push_spawn(
                order.executable, arguments, pair[1], lockDescriptor, &processID)
            return spawnError == 0 ? processID : nil
        }
        guard spawnError == 0 else {
            close(pair[0])
            throw .system(what: "start the child program", path: order.name, errorNumber: spawnError)
        }
        return ChildProcess(processID: processID, link: pair[0])
    }

    /// Ends the process whatever it does, and waits for the kernel to say so: microseconds after SIGKILL.
    package func killAndReap() -> ExitStatus {
        kill(processID, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
        OrphanReaper.forget(processID)
        return ExitStatus(status)
    }

    /// How a child ended.
    package struct ExitStatus: CustomStringConvertible {
        private let raw: Int32
        init(_ raw: Int32) { self.raw = raw }
        package var isClean: Bool { raw == 0 }
        /// It ended by a fault of its own; SIGKILL and SIGTERM come from outside.
        package var isCrash: Bool { !isClean && raw & 0x7F != SIGKILL && raw & 0x7F != SIGTERM }
        package var description: String {
            let signal = raw & 0x7F
            return signal == 0 ? "exit status \((raw >> 8) & 0xFF)" : "signal \(signal)"
        }
    }
}
