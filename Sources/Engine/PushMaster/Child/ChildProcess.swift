internal import CPushShims
internal import Glibc

/// Starts and ends one child process. This type makes no decisions: `ChildCountPolicy` in PushSchedule
/// decides when a child is started.
///
/// A child is the same program in the role `mtachild`. Its end of the link and its lock are its only
/// descriptors in addition to the three standard descriptors.
package struct ChildProcess {
    package let processID: Int32
    /// The master's end of the link; it is close-on-exec and non-blocking.
    package let link: Int32

    /// The parameters for starting a child.
    package struct Order: Sendable {
        /// The absolute path of the program.
        package var executable: String
        package var arguments: [String]
        /// The name of the child in process lists and error messages.
        package var name: String

        /// - Parameter name: The name of the child. If it is `nil`, the path of the program is used as the
        ///   name.
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

    /// Kills the process in any state, and waits until the kernel has ended it, which takes microseconds
    /// after SIGKILL.
    package func killAndReap() -> ExitStatus {
        kill(processID, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
        OrphanReaper.forget(processID)
        return ExitStatus(status)
    }

    /// The way in which a child ended.
    package struct ExitStatus: CustomStringConvertible {
        private let raw: Int32
        init(_ raw: Int32) { self.raw = raw }
        package var isClean: Bool { raw == 0 }
        /// Whether the child ended because of its own fault. SIGKILL and SIGTERM come from outside.
        package var isCrash: Bool { !isClean && raw & 0x7F != SIGKILL && raw & 0x7F != SIGTERM }
        package var description: String {
            let signal = raw & 0x7F
            return signal == 0 ? "exit status \((raw >> 8) & 0xFF)" : "signal \(signal)"
        }
    }
}
