internal import Glibc
internal import Logging
internal import PushTransport
internal import PushWire

/// The role `mtachild`: the whole of a child process.
package enum ChildMain {
    /// Runs until the link closes or the child has nothing more to do.
    /// - Returns: the exit status: 0 when told to go or when its master is gone, 1 on a fault of its own, 2
    ///   when it was started by hand.
    package static func run() -> Int32 {
        guard fcntl(ChildLink.descriptor, F_GETFD) >= 0, fcntl(ChildLink.lockDescriptor, F_GETFD) >= 0 else {
            log(
                "mtachild is started by `pushmta run`, which gives it its link: there is nothing to start by hand"
            )
            return 2
        }
        _ = fcntl(ChildLink.descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(ChildLink.lockDescriptor, F_SETFD, FD_CLOEXEC)
        // A terminal's Ctrl-C reaches the whole group; the master decides how its children end.
        signal(SIGINT, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        do {
            let loop = try TransportLoop(logger: Logger(label: "child") { _ in SwiftLogNoOpLogHandler() })
            let child = Child(loop: loop, link: ChildSideLink(descriptor: ChildLink.descriptor))
            try child.run()
            return 0
        } catch {
            log("child \(getpid()): \(error)")
            return 1
        }
    }

    /// Standard error is the master's, and may be a pipe that nobody reads: what finds no place in it at once
    /// is not said. The master says how a child ended in any case.
    private static func log(_ line: String) {
        var item = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&item, 1, 0) == 1, Int32(item.revents) & POLLOUT != 0 else { return }
        // A pipe that takes anything takes as much as this without waiting (pipe(7)).
        let bytes = Array("pushmta: \(line)\n".utf8.prefix(Int(PIPE_BUF)))
        unsafe _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
