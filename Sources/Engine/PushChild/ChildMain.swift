internal import Glibc
internal import Logging
internal import PushTransport
internal import PushWire

/// The role `mtachild`: the whole program of a child process.
package enum ChildMain {
    /// Runs until the link closes or the child has nothing more to do.
    /// - Returns: The exit status: 0 if the child was asked to end, was idle for too long or has lost its
    ///   master, 1 after a fault in the child itself, 2 if it was started by hand.
    package static func run() -> Int32 {
        guard fcntl(ChildLink.descriptor, F_GETFD) >= 0, fcntl(ChildLink.lockDescriptor, F_GETFD) >= 0 else {
            log(
                "`pushmta run` starts mtachild and passes it its link; do not start it by hand"
            )
            return 2
        }
        _ = fcntl(ChildLink.descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(ChildLink.lockDescriptor, F_SETFD, FD_CLOEXEC)
        // Ctrl-C in a terminal reaches the whole process group, but the master decides how its children end.
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

    /// Writes a line to standard error, which belongs to the master and may be a pipe without a reader. A
    /// line that cannot be written immediately is dropped. The master logs in any case how a child ended.
    private static func log(_ line: String) {
        var item = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&item, 1, 0) == 1, Int32(item.revents) & POLLOUT != 0 else { return }
        // A pipe that can accept any data accepts up to `PIPE_BUF` bytes without waiting (pipe(7)).
        let bytes = Array("pushmta: \(line)\n".utf8.prefix(Int(PIPE_BUF)))
        unsafe _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
