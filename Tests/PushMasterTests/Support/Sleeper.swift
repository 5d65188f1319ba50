import CPushShims
import Glibc
import PushMaster
import Testing

/// A process that does nothing for a long time and has a lock as its descriptor 4.
struct Sleeper {
    static let order = ChildProcess.Order(executable: "/bin/sleep", arguments: ["1000"])

    let processID: pid_t

    init(lock: Int32) throws {
        var pair: [Int32] = [-1, -1]
        try #require(unsafe push_socketpair(&pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        var arguments = unsafe [strdup("sleep"), strdup("1000"), nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var processID: pid_t = 0
        try #require(unsafe push_spawn("/bin/sleep", &arguments, pair[1], lock, &processID) == 0)
        self.processID = processID
    }

    func killAndReap() {
        kill(processID, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
    }
}
